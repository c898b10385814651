import type { EndpointId } from "./endpoint.ts";
import type { HeaderList } from "./headers/header-list.ts";
import type { Intent } from "./intent.ts";

/**
 * One request with its response or transport error, timing and intent. The only thing that judges see, and one line of
 * `evidence.ndjson`. Holds no secret: a key appears as its name in the manifest, in headers as `<key:NAME>`.
 */
export interface Exchange {
  /** Position in the run, from 1; findings cite it as `#17`. */
  readonly seq: number;
  readonly stage: "conformance" | "limits" | "load" | "setup";
  /** Case, probe schedule or load profile that sent it. */
  readonly caseId: string;
  /** Name of this request within its case; twins are found by it. */
  readonly label: string;
  readonly intent: Intent;
  /** null: no route of the specification (unknown paths, fetched image URLs). */
  readonly endpoint: EndpointId | null;
  /** Manifest name of the key that was used, null when no valid credential was sent. */
  readonly keyName: string | null;
  /** 1 for the first attempt; a confirmation or paced retry counts up and names its first attempt. */
  readonly attempt: number;
  readonly retryOf: number | null;
  readonly request: RecordedRequest;
  /** null when no response head arrived. */
  readonly response: RecordedResponse | null;
  readonly failure: TransportFailure | null;
  readonly timing: Timing;
  readonly connection: { readonly id: number; readonly reused: boolean } | null;
}

export interface RecordedRequest {
  readonly method: string;
  /** Path and query as sent, relative to the base URL. */
  readonly path: string;
  readonly headers: HeaderList;
  readonly body: RecordedBody | null;
}

export interface RecordedResponse {
  readonly status: number;
  /** It names this version of HTTP, which knows neither chunks nor `Expect`. Absent: another one, or it was not looked for. */
  readonly version?: "1.0";
  readonly headers: HeaderList;
  /** null when the body was a stream of events (see `stream`) or bodies are not kept. */
  readonly body: RecordedBody | null;
  readonly stream: RecordedStream | null;
}

/** A body; `text` is set when the bytes are valid UTF-8, otherwise `base64`. Both are cut at the capture limit. */
export interface RecordedBody {
  readonly bytes: number;
  /** Of the bytes as they were on the wire, hexadecimal; empty where it was not computed (load). */
  readonly sha256: string;
  readonly text?: string;
  readonly base64?: string;
  readonly truncated: boolean;
  /** Of long strings in base64 (pictures) within the text only the beginning is here; all else is. Absent: nothing was left out so. */
  readonly shortened?: true;
  /** The reason for which the content is not here whole; absent for the cut of bytes that are no text. */
  readonly unread?: UnreadBody;
}

export interface UnreadBody {
  /**
   * `coding`: the bytes do not fit the content coding that the head names. `unknown-coding`: it names one that was not asked for and is
   * not known. `length`: longer than what is kept of one body. `room`: no room was left for it beside the others.
   */
  readonly cause: "coding" | "unknown-coding" | "length" | "room";
  /** The fault of all of it as JSON text, as it was seen passing by; null: none; absent: nobody could look. */
  readonly malformed?: string | null;
}

/** Server-sent events (WHATWG HTML, section 9.2) as dispatched to a conforming client. */
export interface RecordedStream {
  readonly events: readonly RecordedEvent[];
  readonly comments: number;
  /** A field block was pending at the end of the stream and was discarded, as the standard demands. */
  readonly pendingAtEnd: boolean;
  readonly validUtf8: boolean;
  /** A line that names the field `error`, which the standard ignores: some servers report a failure so. Absent where there was none. */
  readonly errorField?: true;
  /** The first characters, where no event was dispatched. Absent where there were events or no characters, and in older records. */
  readonly beginning?: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface RecordedEvent {
  /** Arrival of the bytes that completed the event, run clock. Events that share a read share the instant. */
  readonly atMs: number;
  /** Earliest possible arrival (interval stamping); equals `atMs` where it was not measured. */
  readonly earliestMs: number;
  /** Latest possible arrival, at or before `atMs`; absent where it was not measured. */
  readonly latestMs?: number;
  /** Ordinal of the network read that completed the event: equal values form one arrival group. */
  readonly read: number;
  readonly event: string;
  readonly data: string;
  readonly id?: string;
}

/**
 * Instants in milliseconds with fraction on the monotonic run clock (0 = start of the run), `wallMs` excepted.
 * The interval [sentMs, headersMs] is closed: the service decided somewhere inside it.
 */
export interface Timing {
  /** When the schedule wanted it sent; null outside open-loop load. */
  readonly intendedMs: number | null;
  /** Before the first byte of the request left. */
  readonly sentMs: number;
  /** Response head parsed. */
  readonly headersMs: number | null;
  /** First body byte. */
  readonly firstByteMs: number | null;
  /** Last byte, or the instant of the failure. */
  readonly endMs: number;
  /** Local wall clock at `sentMs`, Unix milliseconds. */
  readonly wallMs: number;
  /**
   * By how much the thread that sent and read was late at most meanwhile: what these instants may be wrong by. Absent: it was not
   * measured (older records), or nothing was sent. Delays of up to 21 ms are not seen, and longer ones may be too short by as much
   * (`loop-watch.ts`). Judges read instants with it (`instant.ts`).
   */
  readonly lateMs?: number;
}

/** Why there is no complete response. */
export interface TransportFailure {
  readonly kind:
    | "connect-refused"
    | "dns"
    | "tls"
    | "connect-timeout"
    /** No response head in time. */
    | "timeout"
    /** The stream fell silent or exceeded its total time after the head. */
    | "stream-timeout"
    /** Reset or closed before the response head on a reused connection: a race, not a verdict on the service. */
    | "reused-connection-closed"
    | "connection-closed"
    | "incomplete-body"
    | "invalid-http"
    | "too-large"
    | "aborted"
    /** A request, token or cost budget was exhausted: nothing was sent. */
    | "budget"
    | "other";
  readonly message: string;
  /** The first characters that could not be read as HTTP. Absent: all could, none came, or the record is older. */
  readonly unreadable?: string;
  /** The deadline of ours that ended it. Absent: none did, or the record is older. */
  readonly bound?: TimeBound;
  /** The client went away on purpose, as it was asked to. Absent: it did not, or the record is older. */
  readonly left?: true;
}

/** A deadline of ours. An answer that takes longer is no fault of a target by that alone (`time-out.ts`). */
export interface TimeBound {
  /** The part that had to come by then: a connection, the response head, the next bytes, or the last byte. */
  readonly until: "connection" | "head" | "bytes" | "end";
  readonly ms: number;
}
