import { createHash } from "node:crypto";
import type { Chunk } from "./chunk.ts";

/** What the next chunk names as the one before it. */
export function digestChunk({ number, previous, payload }: Chunk): string {
  return createHash("sha256").update(`${number}\n${previous}\n`).update(payload).digest("base64url");
}
