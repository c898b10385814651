import type { LimitPhases } from "../../../src/core/exchange/limit-phase.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";

/** One request of a recorded exam; instants in tenths of milliseconds. Left out at the end: what the answer did not have. */
export type CompactRow = readonly [
  key: string | null,
  path: string,
  phase: string,
  sent: number,
  took: number | null,
  status: number | null,
  dateSeconds: number | null,
  limit?: string | null,
  remaining?: string | null,
  reset?: string | null,
  retryAfter?: string | null,
];

/** The requests and answers of one exam of one setup. */
export interface CompactHistory {
  readonly id: string;
  readonly truth: string;
  readonly family: string | null;
  readonly exam: "short" | "full";
  /** Unix time of instant 0, ms. */
  readonly epochMs: number;
  readonly rows: readonly CompactRow[];
}

const names = [
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "retry-after",
] as const;

export function compactExchanges(exchanges: readonly Exchange[]): Pick<CompactHistory, "epochMs" | "rows"> {
  const first = exchanges[0]!.timing;
  const epochMs = Math.round((first.wallMs - first.sentMs) * 10) / 10;
  const rows = exchanges.map((exchange): CompactRow => {
    const { timing, response, intent } = exchange;
    const header = (name: string): string | null => response?.headers.find(([own]) => own.toLowerCase() === name)?.[1] ?? null;
    const date = header("date");
    const tail = names.map(header);
    while (tail.length > 0 && tail.at(-1) === null) tail.pop();
    return [
      exchange.keyName,
      exchange.request.path,
      intent.kind === "limit" ? intent.phase : "",
      Math.round(timing.sentMs * 10),
      timing.headersMs === null ? null : Math.round((timing.headersMs - timing.sentMs) * 10),
      response?.status ?? null,
      date === null ? null : Date.parse(date) / 1000,
      ...tail,
    ] as unknown as CompactRow;
  });
  return { epochMs, rows };
}

/** The exchanges as the judge reads them, in their order; bodies hold the wait and nothing else. */
export function expandHistory({ epochMs, rows }: Pick<CompactHistory, "epochMs" | "rows">): readonly Exchange[] {
  return rows.map(([key, path, phase, sent, took, status, dateSeconds, ...tail], index): Exchange => {
    const sentMs = sent / 10;
    const headersMs = took === null ? null : sentMs + took / 10;
    const wait = tail[3] ?? null;
    const text =
      status === 429 && wait !== null
        ? JSON.stringify({ error: { code: "rate_limit_exceeded" }, "retry-after": Number(wait) })
        : "{}";
    const headers = names.flatMap((name, at): [string, string][] => (tail[at] == null ? [] : [[name, tail[at]]]));
    const tokens = headers.length > 1 || tail[0] != null;
    return {
      seq: index + 1,
      stage: "limits",
      caseId: "limits/requests",
      label: String(index + 1),
      intent:
        phase === ""
          ? { kind: "housekeeping", purpose: "recorded" }
          : { kind: "limit", policy: "requests", phase: phase as LimitPhases["requests"] },
      endpoint: path.startsWith("/v1/usage") ? "usage" : "models",
      keyName: key,
      attempt: 1,
      retryOf: null,
      request: { method: "GET", path, headers: [], body: null },
      response:
        status === null
          ? null
          : {
              status,
              headers: [
                ...(dateSeconds === null ? [] : [["date", new Date(dateSeconds * 1000).toUTCString()] as [string, string]]),
                ...headers,
                ...(tokens && tail[2] != null
                  ? ([
                      ["x-ratelimit-limit-tokens", "100000"],
                      ["x-ratelimit-remaining-tokens", "100000"],
                      ["x-ratelimit-reset-tokens", tail[2]],
                    ] as [string, string][])
                  : []),
              ],
              body: { bytes: text.length, sha256: "", text, truncated: false },
              stream: null,
            },
      failure: status === null ? { kind: "timeout", message: "no answer" } : null,
      timing: {
        intendedMs: null,
        sentMs,
        headersMs,
        firstByteMs: headersMs,
        endMs: headersMs ?? sentMs + 5000,
        wallMs: epochMs + sentMs,
      },
      connection: null,
    };
  });
}
