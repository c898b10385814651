import { commonWords } from "../common-words.ts";
import type { TokenCounter } from "./token-counter.ts";

/** As many as prompts are made of without a tokenizer. */
const mostWords = commonWords.length;
/** Six of them begin a prompt: 10^9 beginnings. */
const leastWords = 32;
/** Of the vocabulary so many are tried at most. */
const mostCandidates = 5000;
/** Words of one text that is counted in the end. */
const longWords = 2000;

/**
 * Words that are one token each by this tokenizer, wherever they stand in a text: our own where they are, then those of its vocabulary. No
 * two of them are fewer or more tokens beside each other. Throws RangeError where there are too few.
 */
export function chooseWords({ vocabulary, count }: Pick<TokenCounter, "vocabulary" | "count">): readonly string[] {
  const chosen: string[] = [];
  // A vocabulary may hold a word twice, with its space and without.
  const others = new Set(vocabulary.slice(0, mostCandidates));
  for (const word of commonWords) others.delete(word);
  for (const candidates of [commonWords, [...others]]) {
    if (chosen.length === mostWords) break;
    for (const word of findSingles(candidates, count)) {
      if (chosen.length === mostWords) break;
      // Each neighbour that it can have, on both sides.
      const beside = [word, ...chosen.flatMap((other) => [other, word]), word];
      if (count([beside.join(" ")])[0] === beside.length) chosen.push(word);
    }
  }
  if (chosen.length < leastWords)
    throw new RangeError(
      `only ${chosen.length} words of ASCII letters are one token each by it, ${leastWords} are needed for prompts of exact length`,
    );
  const long = Array.from({ length: longWords }, (_, place) => chosen[place % chosen.length]).join(" ");
  const [counted] = count([long]);
  if (counted !== longWords)
    throw new RangeError(`it counts ${counted} tokens for a text of ${longWords} words that are one token each`);
  return chosen;
}

/** Words that are one token at the beginning of a text and after a space. */
function findSingles(candidates: readonly string[], count: TokenCounter["count"]): readonly string[] {
  const alone = count(candidates);
  const twice = count(candidates.map((word) => `${word} ${word}`));
  return candidates.filter((_, place) => alone[place] === 1 && twice[place] === 2);
}
