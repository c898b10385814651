/** Prices in whole micro-dollars, so that every cost and every sum is exact. Ours: the specification shows none. */
export const pricesMicros = {
  chatPromptToken: 2,
  chatCompletionToken: 8,
  embeddingToken: 1,
  /** The smallest standard picture. */
  image: 40_000,
  /** Begun second of audio. */
  audioSecond: 100,
} as const;

export function chatCostMicros(promptTokens: number, completionTokens: number): number {
  return promptTokens * pricesMicros.chatPromptToken + completionTokens * pricesMicros.chatCompletionToken;
}

export function embeddingCostMicros(tokens: number): number {
  return tokens * pricesMicros.embeddingToken;
}

/** Wide and tall pictures and `hd` cost double each. */
export function imageCostMicros(count: number, size: string, quality: string): number {
  return count * pricesMicros.image * (size === "1024x1024" ? 1 : 2) * (quality === "hd" ? 2 : 1);
}

export function audioCostMicros(seconds: number): number {
  return Math.ceil(seconds) * pricesMicros.audioSecond;
}
