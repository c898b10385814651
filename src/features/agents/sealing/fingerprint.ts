import { createHash } from "node:crypto";

/** A public key as people compare it: 128 bits of its digest. */
export function fingerprint(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 32);
}
