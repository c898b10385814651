/** No answer is longer; a count beyond it is a claim that would drown every sum. */
export const mostTokens = 10_000_000;
