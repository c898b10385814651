import type { Random } from "../../core/random.ts";
import type { PromptBlocks } from "../profile/load-profile.ts";
import { fillerWords, writeWords } from "./write-prompt.ts";

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
