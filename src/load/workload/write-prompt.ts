import type { Random } from "../../core/random.ts";
import type { PromptBlocks } from "../profile/load-profile.ts";

/** Short everyday words: close to one token each in the usual byte-pair vocabularies. */
const words: readonly string[] = (
  "time year people way day man thing woman life child world school state family student group country problem hand part " +
  "place case week company system program question work government number night point home water room mother area money " +
  "story fact month lot right study book eye job word business issue side kind head house service friend father power " +
  "hour game line end member law car city community name president team minute idea kid body information back parent face " +
  "others level office door health person art war history party result change morning reason research girl guy moment air " +
  "teacher force education foot boy age policy music market sense plan river table letter road bridge garden window stone"
).split(" ");

/** One word is taken as one token; what the target counted stands in `usage`. */
export function writeWords(count: number, random: Random): string {
  const picked: string[] = [];
  for (let index = 0; index < count; index += 1) picked.push(words[random.integer(0, words.length - 1)] ?? "time");
  return picked.join(" ");
}

/**
 * A prompt of about `tokens` tokens: the shared prefix, then a beginning that no other prompt has, then filler. Prefix
 * caches match from the first token on, so without a shared prefix no two prompts share even that.
 */
export function writePrompt(tokens: number, sharedPrefix: string, random: Random): string {
  const beginning = writeBeginning(sharedPrefix, random);
  const prefixWords = sharedPrefix === "" ? 0 : sharedPrefix.split(" ").length;
  return `${beginning} ${writeWords(fillerWords(tokens, prefixWords), random)}`;
}

/** The shared prefix and words that no other prompt of the run has after it; in front of a prompt that somebody else wrote. */
export function writeBeginning(sharedPrefix: string, random: Random): string {
  const nonce = `${hex(random)} ${hex(random)}`;
  return sharedPrefix === "" ? nonce : `${sharedPrefix} ${nonce}`;
}

/** Bytes that no prompt of these lengths exceeds, nor any beginning: everything here is ASCII. */
export function longestPromptBytes(tokens: number, prefixTokens: number): number {
  return longestBeginningBytes(prefixTokens) + wordBytes * fillerWords(Math.ceil(tokens), prefixTokens);
}

export function longestBeginningBytes(prefixTokens: number): number {
  return wordBytes * prefixTokens + "01234567 89abcdef ".length;
}

/** Of the longest word and the space beside it. */
const wordBytes = 1 + Math.max(...words.map((word) => word.length));

/** Words of a prompt of so many tokens after its prefix and its beginning. */
export function fillerWords(tokens: number, prefixWords: number): number {
  // Four hexadecimal digits cost about three tokens.
  return Math.max(1, tokens - prefixWords - 6);
}

function hex(random: Random): string {
  return random.integer(0, 0xffffffff).toString(16).padStart(8, "0");
}

/**
 * A prompt of about `tokens` tokens from blocks: the words of a block follow from its id and the seed of `shared` alone, so that
 * prompts share text as far as their ids agree, and nothing beyond. It has as many words as a prompt without blocks has beside
 * its unique beginning.
 */
export function writeBlocks({ ids, tokens: blockTokens }: PromptBlocks, tokens: number, prefix: string, shared: Random): string {
  const parts = prefix === "" ? [] : [prefix];
  let left = fillerWords(tokens, prefix === "" ? 0 : prefix.split(" ").length);
  for (const id of ids) {
    if (left <= 0) break;
    const count = Math.min(blockTokens, left);
    parts.push(writeWords(count, shared.fork(`block/${id}`)));
    left -= count;
  }
  return parts.join(" ");
}
