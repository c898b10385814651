import { createGramIndex } from "./gram-index.ts";

/** A part of a secret within a text. */
export interface FoundPart {
  readonly from: number;
  readonly to: number;
  /** Place of the secret in the list. */
  readonly secret: number;
  /** The whole secret, letter for letter. */
  readonly whole: boolean;
}

/** Whether `isWanted` takes one of the parts of secrets that stand in a text, whatever the case of their letters. */
export type PartSearch = (text: string, isWanted: (part: FoundPart) => boolean) => boolean;

const gramLength = 4;

/**
 * `shortest`: characters of a part from which on it counts where letters and digits, or both cases, show that it is no word or
 * number; `plainest`: from which on it counts in any case. A whole secret always counts.
 */
export function createPartSearch(secrets: readonly string[], shortest: number, plainest: number): PartSearch {
  const lower = secrets.map((secret) => secret.toLowerCase());
  const search = createGramIndex(lower, {
    gramLength,
    shortest: Math.min(shortest, ...secrets.map(({ length }) => length)),
    foldsCase: true,
  });
  return (text, isWanted) => {
    let coveredTo = 0;
    return search(text, (at, index, place) => {
      const part = extend(text, at, lower[index] ?? "", place);
      if (part === null || part.to <= coveredTo) return false;
      const secret = secrets[index] ?? "";
      // Most pieces that are seen belong to no part that counts; to look at their letters costs most.
      if (part.to - part.from < Math.min(shortest, secret.length)) return false;
      const written = text.slice(part.from, part.to);
      const whole = written === secret;
      if (!whole && written.length < (isSpecific(written) ? shortest : plainest) && written.length < secret.length) return false;
      coveredTo = part.to;
      return isWanted({ ...part, secret: index, whole });
    });
  };
}

function lowerCode(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 65 && code <= 90 ? code + 32 : code;
}

/** As much of the secret as stands around the place where a piece of it was seen. */
function extend(text: string, at: number, secret: string, place: number): { readonly from: number; readonly to: number } | null {
  let before = 0;
  while (before < place && before < at && lowerCode(text, at - before - 1) === secret.charCodeAt(place - before - 1)) before += 1;
  let after = 0;
  while (place + after < secret.length && lowerCode(text, at + after) === secret.charCodeAt(place + after)) after += 1;
  return after < gramLength ? null : { from: at - before, to: at + after };
}

/** Whether it can hardly be a word or a number. */
function isSpecific(part: string): boolean {
  return /[a-z]/i.test(part) && (/[^a-z]/i.test(part) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(part));
}
