import type { LengthCount, TokenLengths } from "../../core/result/load-result.ts";
import type { LoadRecord } from "./load-record.ts";

/** The lengths that were asked for, and what the target says they were; null where nothing has both. */
export function countLengths(records: readonly LoadRecord[]): TokenLengths | null {
  const prompt = noLengths();
  const output = noLengths();
  for (const { outcome, askedPrompt, promptTokens, askedOutput, outputTokens, tokensEstimated } of records) {
    if (outcome !== "ok") continue;
    if (askedPrompt !== null && promptTokens !== null) add(prompt, askedPrompt, promptTokens);
    if (askedOutput !== null && outputTokens !== null && !tokensEstimated) add(output, askedOutput, outputTokens);
  }
  if (prompt.requests + output.requests === 0) return null;
  return { prompt: prompt.requests === 0 ? null : prompt, output: output.requests === 0 ? null : output };
}

type OpenCount = { -readonly [Member in keyof LengthCount]: LengthCount[Member] };

function noLengths(): OpenCount {
  return { requests: 0, asked: 0, counted: 0, exact: 0 };
}

function add(into: OpenCount, asked: number, counted: number): void {
  into.requests += 1;
  into.asked += asked;
  into.counted += counted;
  if (asked === counted) into.exact += 1;
}
