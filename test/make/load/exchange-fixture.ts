import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import type { Exchange, RecordedEvent } from "../../../src/core/exchange/exchange.ts";
import type { RecordContext } from "../../../src/load/samples/load-record.ts";
import { makeExchange } from "../exchanges/make-exchange.ts";

export const context: RecordContext = {
  endpoint: "chat",
  label: "chat stream",
  phase: "measure",
  step: 0,
  intendedMs: 90,
  issuedMs: 95,
  slo: { ttftMs: null, tpotMs: null, userLatencyMs: null },
};

/** An event at an instant, by default in a read of its own. */
export function event(atMs: number, data: object | string, read: number = atMs): RecordedEvent {
  return { atMs, earliestMs: atMs - 0.1, read, event: "message", data: typeof data === "string" ? data : JSON.stringify(data) };
}

export function delta(atMs: number, part: object, rest: object = {}, read: number = atMs): RecordedEvent {
  return event(atMs, { choices: [{ index: 0, delta: part, finish_reason: null }], ...rest }, read);
}

/** An exchange sent at 100 ms with head at 110 ms; its stream ends with `[DONE]`. */
export function streamed(
  events: readonly RecordedEvent[],
  change: Partial<Exchange> = {},
  headers: Readonly<Record<string, string>> = {},
): Exchange {
  const last = events.at(-1);
  return cutShort(last === undefined ? [] : [...events, event(last.atMs, "[DONE]")], change, headers);
}

/** The same without an end that states it is one. */
export function cutShort(
  events: readonly RecordedEvent[],
  change: Partial<Exchange> = {},
  headers: Readonly<Record<string, string>> = {},
): Exchange {
  const endMs = (events.at(-1)?.atMs ?? 110) + 5;
  return exchangeOf({
    response: {
      status: 200,
      headers: Object.entries({ "content-type": "text/event-stream", ...headers }),
      body: null,
      stream: { events, comments: 0, pendingAtEnd: false, validUtf8: true, bytes: 1, sha256: "" },
    },
    timing: { intendedMs: 90, sentMs: 100, headersMs: 110, firstByteMs: events[0]?.atMs ?? null, endMs, wallMs: 0 },
    ...change,
  });
}

export function answered(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Exchange {
  const text = JSON.stringify(body);
  return exchangeOf({
    response: {
      status,
      headers: Object.entries(headers),
      body: { bytes: text.length, sha256: "", text, truncated: false },
      stream: null,
    },
  });
}

/** The same as the answer to a request at the instant at which it was sent. */
export function answeredAt(answer: Exchange, { endpoint, attempt = 1 }: SendRequest, nowMs: number): Exchange {
  const timing = { intendedMs: nowMs, sentMs: nowMs, headersMs: nowMs, firstByteMs: nowMs, endMs: nowMs, wallMs: 0 };
  return { ...answer, endpoint, attempt, timing };
}

export function exchangeOf(change: Partial<Exchange>): Exchange {
  const intent = { kind: "load", profile: "test", phase: "measure" } as const;
  const sent = { seq: 7, stage: "load", caseId: "load/test", label: "chat stream#0", intent, endpoint: "chat" } as const;
  const timing = { intendedMs: 90, sentMs: 100, headersMs: 110, firstByteMs: 111, endMs: 120, wallMs: 0 };
  return { ...makeExchange({ ...sent, status: null }), timing, ...change };
}
