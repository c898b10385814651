/** Size of the streams that many clients leave: each word is a token at least. */
export const leavePrompt = { words: 30, maxTokens: 64 } as const;
