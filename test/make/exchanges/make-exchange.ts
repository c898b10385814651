import { endpoints, type EndpointId } from "../../../src/core/exchange/endpoint.ts";
import type { Exchange, RecordedBody } from "../../../src/core/exchange/exchange.ts";
import type { Intent } from "../../../src/core/exchange/intent.ts";

export interface ExchangeDraft {
  readonly seq?: number;
  readonly endpoint?: EndpointId | null;
  readonly caseId?: string;
  readonly label?: string;
  readonly intent?: Intent;
  readonly keyName?: string | null;
  readonly stage?: Exchange["stage"];
  readonly attempt?: number;
  readonly method?: string;
  readonly path?: string;
  /** JSON of the request body. */
  readonly sent?: unknown;
  /** null: no answer at all. */
  readonly status?: number | null;
  readonly headers?: readonly (readonly [string, string])[];
  /** JSON of the response body; a string is taken as the text itself. */
  readonly received?: unknown;
  readonly receivedBytes?: Uint8Array;
  readonly failure?: Exchange["failure"];
  readonly sentMs?: number;
  readonly endMs?: number;
  /** null: not measured. */
  readonly lateMs?: number | null;
  readonly stream?: boolean;
}

/** The wall clock of every record that says nothing else: Sat, 21 Nov 2026 09:30:00 GMT. */
export const wallMs: number = Date.UTC(2026, 10, 21, 9, 30);

/** A record as the wire would have written it, with whatever a test needs otherwise. */
export function makeExchange(draft: ExchangeDraft = {}): Exchange {
  const endpoint = draft.endpoint === undefined ? "models" : draft.endpoint;
  const { seq = 1, status = 200, sentMs = seq * 100, received = {} } = draft;
  const endMs = draft.endMs ?? sentMs + 20;
  const date = new Date(wallMs + sentMs).toUTCString();
  return {
    seq,
    stage: draft.stage ?? "conformance",
    caseId: draft.caseId ?? "test/case",
    label: draft.label ?? `request-${seq}`,
    intent: draft.intent ?? { kind: "valid" },
    endpoint,
    keyName: draft.keyName === undefined ? "primary" : draft.keyName,
    attempt: draft.attempt ?? 1,
    retryOf: null,
    request: {
      method: draft.method ?? (endpoint === null ? "GET" : endpoints[endpoint].method),
      path: draft.path ?? (endpoint === null ? "/nowhere" : endpoints[endpoint].path),
      headers: [],
      body: draft.sent === undefined ? null : textBody(JSON.stringify(draft.sent)),
    },
    response:
      status === null
        ? null
        : {
            status,
            headers: [["date", date], ["content-type", "application/json"], ...(draft.headers ?? [])],
            body: draft.stream === true ? null : recordBody(received, draft.receivedBytes),
            stream:
              draft.stream === true
                ? { events: [], comments: 0, pendingAtEnd: false, validUtf8: true, bytes: 0, sha256: "" }
                : null,
          },
    failure: withBound(draft.failure ?? null),
    timing: {
      intendedMs: null,
      sentMs,
      headersMs: status === null ? null : endMs - 5,
      firstByteMs: status === null ? null : endMs - 5,
      endMs,
      wallMs: wallMs + sentMs,
      ...(draft.lateMs === null ? {} : { lateMs: draft.lateMs ?? 0 }),
    },
    connection: { id: 1, reused: true },
  };
}

/** A deadline that is longer than any manifest of a test allows, unless the test says otherwise. */
function withBound(failure: Exchange["failure"]): Exchange["failure"] {
  if (failure?.kind === "timeout") return { bound: { until: "head", ms: 60_000 }, ...failure };
  return failure?.kind === "stream-timeout" ? { bound: { until: "bytes", ms: 60_000 }, ...failure } : failure;
}

function recordBody(received: unknown, bytes: Uint8Array | undefined): RecordedBody {
  if (bytes !== undefined) {
    return { bytes: bytes.length, sha256: "", base64: Buffer.from(bytes).toString("base64"), truncated: false };
  }
  return textBody(typeof received === "string" ? received : JSON.stringify(received));
}

/** A body as captured whole. */
export function textBody(text: string): RecordedBody {
  return { bytes: Buffer.byteLength(text), sha256: "", text, truncated: false };
}
