import type { Exchange, RecordedStream } from "../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange } from "./make-exchange.ts";

interface StreamDraft extends ExchangeDraft {
  readonly stampsMs?: readonly number[];
  readonly names?: readonly string[];
  readonly changed?: Partial<RecordedStream>;
}

/** A streamed chat answer with these payloads; objects become JSON. */
export function streamed(
  payloads: readonly unknown[],
  { stampsMs = [], names = [], changed = {}, ...draft }: StreamDraft = {},
): Exchange {
  const exchange = makeExchange({ endpoint: "chat", sent: { stream: true }, stream: true, ...draft });
  const headers = exchange.response!.headers.map(([name, value]): [string, string] => [
    name,
    name === "content-type" ? "text/event-stream" : value,
  ]);
  const events = payloads.map((payload, index) => ({
    atMs: stampsMs[index] ?? index,
    earliestMs: stampsMs[index] ?? 0,
    read: 1,
    event: names[index] ?? "message",
    data: typeof payload === "string" ? payload : JSON.stringify(payload),
  }));
  const stream = { ...exchange.response!.stream!, events, ...changed };
  return { ...exchange, response: { ...exchange.response!, headers, stream } };
}

export const base: object = { id: "c1", object: "chat.completion.chunk", created: 1, model: "m" };
export const chunk = (delta: unknown, finish: unknown = null, more: object = {}): object => ({
  ...base,
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
export const first: object = chunk({ role: "assistant", content: "" });
export const last: object = chunk({}, "stop");
export const done = "[DONE]";
export const good: readonly unknown[] = [first, chunk({ content: "hi" }), last, done];
