/**
 * The tokenizer behind every `usage` of the reference service: a token is up to six letters or digits, one other visible
 * character, or a run of spaces that no word follows; a single space belongs to the word after it. The tokens of a text
 * joined together are the text. Simple on purpose: anyone can recount a response by hand.
 */
const token = / ?[\p{L}\p{M}\p{N}]{1,6}| ?[^\s\p{L}\p{M}\p{N}]|\s+?(?= [\p{L}\p{M}\p{N}])|\s+/gu;

export function tokenize(text: string): readonly string[] {
  return text.match(token) ?? [];
}

export function countTokens(text: string): number {
  return tokenize(text).length;
}

export interface TokenizedMessage {
  readonly role: string;
  readonly content?: string | null;
}

/** Tokens that frame one message (role and separators), and those that open the answer. */
const tokensPerMessage = 3;
const tokensPerAnswer = 3;

/** Prompt tokens of a conversation: the texts, the frame of each message, the opening of the answer, the tool definitions. */
export function countPromptTokens(messages: readonly TokenizedMessage[], tools: readonly unknown[] = []): number {
  const texts = messages.reduce((sum, message) => sum + tokensPerMessage + countTokens(message.content ?? ""), 0);
  return texts + tokensPerAnswer + (tools.length > 0 ? countTokens(JSON.stringify(tools)) : 0);
}
