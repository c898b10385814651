import { createHash } from "node:crypto";
import { readText } from "../keys/read-key.ts";

/** SHA-256 of the text of a policy, hexadecimal, as challenges and endorsements name it; null without a policy. */
export function digestPolicy(file: string | undefined): string | null {
  return file === undefined ? null : createHash("sha256").update(readText(file)).digest("hex");
}
