import type { Random } from "../../core/random.ts";
import type { PromptBlocks } from "../profile/planned-send.ts";
import { commonWords } from "./common-words.ts";
import { longestWord } from "./longest-word.ts";

/** One word is one token; what the target counted stands in `usage`. */
export function writeWords(count: number, random: Random, words: readonly string[] = commonWords): string {
  const picked: string[] = [];
  for (let index = 0; index < count; index += 1) picked.push(words[random.integer(0, words.length - 1)] ?? "time");
  return picked.join(" ");
}

/**
 * A prompt of `tokens` tokens, at least one after its prefix: the shared prefix, then words drawn for this prompt alone. Prefix caches match
 * from the first token on, so without a shared prefix no two prompts share even that.
 */
export function writePrompt(tokens: number, sharedPrefix: string, random: Random, words?: readonly string[]): string {
  const own = writeWords(ownWords(tokens, wordsOf(sharedPrefix)), random, words);
  return sharedPrefix === "" ? own : `${sharedPrefix} ${own}`;
}

/** The shared prefix and words that no other prompt of the run has after it; in front of a prompt that somebody else wrote. */
export function writeBeginning(sharedPrefix: string, random: Random, words?: readonly string[]): string {
  const nonce = writeWords(beginningWords, random, words);
  return sharedPrefix === "" ? nonce : `${sharedPrefix} ${nonce}`;
}

/** Bytes that no prompt of these lengths exceeds, nor any beginning: everything here is ASCII. */
export function longestPromptBytes(tokens: number, prefixTokens: number): number {
  return wordBytes * (prefixTokens + ownWords(Math.ceil(tokens), prefixTokens));
}

export function longestBeginningBytes(prefixTokens: number): number {
  return wordBytes * (prefixTokens + beginningWords);
}

/** Of the longest word and the space beside it. */
const wordBytes = 1 + longestWord;

/** More than 10^12 beginnings: two of a run are hardly ever the same. */
const beginningWords = 6;

/** Words of a prompt of so many tokens after its prefix. */
function ownWords(tokens: number, prefixWords: number): number {
  return Math.max(1, tokens - prefixWords);
}

function wordsOf(text: string): number {
  return text === "" ? 0 : text.split(" ").length;
}

/**
 * A prompt of `tokens` tokens from blocks: the words of a block follow from its id and the seed of `shared` alone, so that
 * prompts share text as far as their ids agree, and nothing beyond.
 */
export function writeBlocks(
  { ids, tokens: blockTokens }: PromptBlocks,
  tokens: number,
  { prefix, shared, words }: { readonly prefix: string; readonly shared: Random; readonly words?: readonly string[] | undefined },
): string {
  const parts = prefix === "" ? [] : [prefix];
  let left = ownWords(tokens, wordsOf(prefix));
  for (const id of ids) {
    if (left <= 0) break;
    const count = Math.min(blockTokens, left);
    parts.push(writeWords(count, shared.fork(`block/${id}`), words));
    left -= count;
  }
  return parts.join(" ");
}
