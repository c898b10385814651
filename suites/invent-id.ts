import type { Random } from "../src/core/random.ts";

/** An identifier of the same form that nobody has: the last letters and digits are drawn anew. */
export function inventId(model: string, random: Random): string {
  const alphabets = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"];
  const from = Math.max(0, model.length - 16, model.lastIndexOf("_") + 1);
  const drawn = Array.from(model.slice(from), (character) => {
    const alphabet = alphabets.find((letters) => letters.includes(character));
    return alphabet === undefined ? character : alphabet.charAt(random.integer(0, alphabet.length - 1));
  });
  return model.slice(0, from) + drawn.join("");
}
