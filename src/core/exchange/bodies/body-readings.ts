import { type ErrorBody, readErrorBody } from "./error-body.ts";
import type { RecordedRequest, RecordedResponse } from "../exchange.ts";
import type { JsonValue } from "./json-value.ts";
import { readStreamEnd, type StreamEnd } from "./stream-end.ts";
import { parseRecordedJson, parseStreamJson, type RecordedJson } from "./recorded-json.ts";
import { readTokenUsage, type TokenUsage } from "./token-usage.ts";

/**
 * Which readings of wide answers are kept: the last ones, as far as the bytes of their texts go. A value read from JSON may
 * take twenty times the memory of its text, so that a record of wide answers fits into memory only while most are unread.
 */
export class RecentReadings<Reading extends object> {
  readonly #bytes = new Map<Reading, number>();
  readonly #mostBytes: number;
  readonly #forget: (reading: Reading) => void;
  #total = 0;

  constructor(mostBytes: number, forget: (reading: Reading) => void) {
    this.#mostBytes = mostBytes;
    this.#forget = forget;
  }

  /** Keeps a reading that stands for a text of so many bytes, and forgets the oldest ones that have no room beside it. */
  keep(reading: Reading, bytes: number): void {
    if (this.#bytes.has(reading)) return;
    for (const [oldest, freed] of this.#bytes) {
      if (this.#total + bytes <= this.#mostBytes) break;
      this.#bytes.delete(oldest);
      this.#total -= freed;
      this.#forget(oldest);
    }
    this.#bytes.set(reading, bytes);
    this.#total += bytes;
  }
}

/** Of answers above this only the last ones stay read. */
const wideBytes = 4096;

const wideReadings = new RecentReadings<BodyReadings>(4 * 2 ** 20, (readings) => readings.forget());

const noStreamEnd: StreamEnd = {
  finishReason: null,
  done: false,
  error: false,
  unreadable: 0,
  malformed: 0,
  isKnownForm: false,
  hasData: false,
};

/** The content of the bodies of one exchange: each is parsed on first use and kept; of wide answers only the last ones are. */
export class BodyReadings {
  /** Somebody asked for content that is not there. */
  missed = false;
  readonly #sent: RecordedRequest;
  readonly #answer: RecordedResponse | null;
  // undefined: it was not read yet.
  #request: RecordedJson | undefined;
  #response: RecordedJson | undefined;
  #error: ErrorBody | undefined;
  #events: readonly (JsonValue | undefined)[] | undefined;
  #streamEnd: StreamEnd | undefined;
  #usage: TokenUsage | null | undefined;

  constructor(sent: RecordedRequest, answer: RecordedResponse | null) {
    this.#sent = sent;
    this.#answer = answer;
  }

  get request(): RecordedJson {
    return (this.#request ??= parseRecordedJson(this.#sent.body));
  }

  /** Without the note that somebody asked: for those who look at an answer only to weigh it. */
  peek(): RecordedJson {
    if (this.#response === undefined) {
      const body = this.#answer?.body;
      this.#response = parseRecordedJson(body);
      this.#bound(body?.text?.length ?? 0);
    }
    return this.#response;
  }

  get response(): RecordedJson {
    const json = this.peek();
    if (!json.ok) this.missed = true;
    return json;
  }

  /** undefined when the response has no body that parses. */
  get json(): JsonValue | undefined {
    const { response } = this;
    return response.ok ? response.value : undefined;
  }

  get error(): ErrorBody {
    return (this.#error ??= readErrorBody(this.json));
  }

  get events(): readonly (JsonValue | undefined)[] {
    if (this.#answer?.stream === null) this.missed = true;
    if (this.#events === undefined) {
      const stream = this.#answer?.stream ?? null;
      this.#events = parseStreamJson(stream);
      this.#bound(stream?.bytes ?? 0);
    }
    return this.#events;
  }

  get streamEnd(): StreamEnd {
    const stream = this.#answer?.stream ?? null;
    return (this.#streamEnd ??= stream === null ? noStreamEnd : readStreamEnd(stream, this.events));
  }

  /** In the body, or in the last event of the stream that carries it. */
  get usage(): TokenUsage | null {
    if (this.#usage === undefined) this.#usage = this.#answer?.stream == null ? readTokenUsage(this.json) : usageOf(this.events);
    return this.#usage;
  }

  /** Frees what a wide answer takes; it is read again where somebody asks again. */
  forget(): void {
    this.#response = undefined;
    this.#error = undefined;
    this.#events = undefined;
  }

  #bound(bytes: number): void {
    if (bytes > wideBytes) wideReadings.keep(this, bytes);
  }
}

function usageOf(events: readonly (JsonValue | undefined)[]): TokenUsage | null {
  for (let last = events.length - 1; last >= 0; last -= 1) {
    const usage = readTokenUsage(events[last]);
    if (usage !== null) return usage;
  }
  return null;
}
