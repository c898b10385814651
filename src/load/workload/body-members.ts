/** Members of a chat or embeddings body that change the answer; a row of a dataset that states one has it sent. */
const members: ReadonlySet<string> = new Set([
  "model",
  "temperature",
  "top_p",
  "top_k",
  "min_p",
  "n",
  "best_of",
  "stop",
  "seed",
  "presence_penalty",
  "frequency_penalty",
  "repetition_penalty",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "functions",
  "function_call",
  "response_format",
  "reasoning_effort",
  "min_tokens",
  "ignore_eos",
  "user",
  "dimensions",
  "encoding_format",
  "chat_template_kwargs",
  "stream_options",
]);

/** The members of a row that belong into the body of its request. */
export function bodyMembers(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => members.has(name) && value !== null));
}
