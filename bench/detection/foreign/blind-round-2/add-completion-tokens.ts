import type { AccountBook } from "../account-book.ts";
import type { Answer } from "../reply.ts";
import { bagOf } from "../twist.ts";

/** Changes how many tokens a completion took: in its answer and in its record, which was written just before. */
export function addCompletionTokens(book: AccountBook, answer: Answer, tokens: number): void {
  const body = bagOf(answer.value);
  const usage = bagOf(body["usage"]);
  answer.value = {
    ...body,
    usage: {
      ...usage,
      completion_tokens: Number(usage["completion_tokens"]) + tokens,
      total_tokens: Number(usage["total_tokens"]) + tokens,
    },
  };
  const record = book.spent.pop();
  if (record === undefined) return;
  book.spent.push({ ...record, completion: record.completion + tokens, microDollars: record.microDollars + 8 * tokens });
}
