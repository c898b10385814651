import { createHash } from "node:crypto";

/** Says whether two base URLs are one without showing them at the broker. */
export function targetDigest(baseUrl: string): string {
  return createHash("sha256").update(baseUrl.replace(/\/+$/, "")).digest("hex").slice(0, 32);
}
