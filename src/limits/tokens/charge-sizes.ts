/** Tokens of a request beside the words of its prompt and its answer, and of the reading after it. */
export const frame = 60;
/** Shorter prompts do not stand out of the readings around them. */
export const fewestWords = 24;
/** Below it no limit holds such a prompt with the readings around it. */
export const leastLimit: number = Math.ceil((1.3 * fewestWords + frame) / 0.95);
/** Of prompts where no answer states a limit. */
const usualWords = 260;

interface Sizes {
  readonly isSmall: boolean;
  readonly longWords: number;
  readonly longAnswer: number;
  /** Tokens that a long prompt allows for its answer and does not need. */
  readonly unneeded: number;
}

/** Sizes that one window has room for: of what a limit holds at once, and of what it allows in a window. */
export function sizesFor(held: number, limit: number): Sizes {
  const isSmall = held < limit / 2;
  const share = isSmall ? 0.4 * held : held < 2000 ? 0.24 * held : held / 6;
  const longWords = limit === 0 ? usualWords : Math.max(fewestWords, Math.min(2400, Math.floor(share)));
  const longAnswer = Math.max(24, Math.min(220, Math.floor(held / 10)));
  return { isSmall, longWords, longAnswer, unneeded: isSmall ? Math.min(1000, Math.floor(0.45 * held)) : longAnswer };
}
