import { closestWord } from "./closest-word.ts";

/** `did you mean baseUrl?`, of the candidate that a typing error most likely meant; null when none is near. */
export function suggestWord(word: string, candidates: readonly string[]): string | null {
  const near = closestWord(word, candidates);
  return near === null ? null : `did you mean ${near}?`;
}
