import { createHash } from "node:crypto";
import { createRandom } from "../../core/random.ts";

const words =
  "well so the today we speak about a small test of sound and it is clear that everyone can hear this quiet voice now".split(" ");

/** About two and a half words a second, the same for the same bytes; at least one word. */
export function transcribe(seed: number, model: string, bytes: Buffer, seconds: number): string {
  const digest = createHash("sha256").update(`${seed}/${model}/`).update(bytes).digest();
  const random = createRandom(digest.readUInt32BE(0));
  const count = Math.max(1, Math.min(Math.round(seconds * 2.5), 2000));
  const text = Array.from({ length: count }, () => words[random.integer(0, words.length - 1)] ?? "so").join(" ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
