import {
  ColumnError,
  packIntegers,
  packNumbers,
  packSeries,
  packTexts,
  unpackIntegers,
  unpackNumbers,
  unpackSeries,
  unpackTexts,
  type Column,
} from "../../core/columns/column.ts";
import { microsecondsOf, roundToMicroseconds } from "../../core/columns/round-to-microseconds.ts";
import type { LimitOp, QuotaReading } from "./op.ts";

/** Requests as the limit checks see them, member by member; instants in whole microseconds. */
export type OpColumns = Readonly<Record<keyof typeof kinds, Column>>;

/** How each of them is packed. */
const kinds = {
  seq: "series",
  key: "texts",
  endpoint: "texts",
  policy: "texts",
  phase: "texts",
  label: "texts",
  labelNumber: "series",
  path: "texts",
  sent: "series",
  headers: "integers",
  end: "integers",
  late: "integers",
  status: "integers",
  outcome: "texts",
  cause: "texts",
  requestsLimit: "numbers",
  requestsRemaining: "numbers",
  requestsReset: "numbers",
  requestsFormat: "texts",
  tokensLimit: "numbers",
  tokensRemaining: "numbers",
  tokensReset: "numbers",
  tokensFormat: "texts",
  headerProblems: "texts",
  retry: "texts",
  date: "numbers",
  ownOffset: "integers",
  usedTokens: "numbers",
  promptTokens: "numbers",
  cachedTokens: "numbers",
  completionTokens: "numbers",
  streamed: "integers",
  maxTokens: "numbers",
  cached: "integers",
} as const;

/** Columns that records of earlier versions lack. */
const addedLater: ReadonlySet<string> = new Set<keyof typeof kinds>(["cachedTokens", "late"]);

const unpackers = { series: unpackSeries, texts: unpackTexts, integers: unpackIntegers, numbers: unpackNumbers } as const;

/** The operation as `packOps` keeps it: what is judged while load is on must be what is judged from the ledger. */
export function roundOp(op: LimitOp): LimitOp {
  return {
    ...op,
    sentMs: roundToMicroseconds(op.sentMs),
    headersMs: roundToMicroseconds(op.headersMs),
    endMs: roundToMicroseconds(op.endMs),
    // Whole milliseconds take little room; upwards, so that an interval stays as wide as it was.
    lateMs: op.lateMs === null ? null : Math.ceil(op.lateMs),
    requests: roundQuota(op.requests),
    tokens: roundQuota(op.tokens),
  };
}

/** In the year 2286; later instants are no resets, and stay as they were reported. */
const latestResetMs = 1e13;

/** A label that is relative comes with the fraction of the instant at which it was read. */
function roundQuota(quota: QuotaReading): QuotaReading {
  const { resetMs } = quota;
  if (resetMs === null || Number.isInteger(resetMs) || Math.abs(resetMs) > latestResetMs) return quota;
  return { ...quota, resetMs: roundToMicroseconds(resetMs) };
}

/** Of operations that `roundOp` has rounded. */
export function packOps(ops: readonly LimitOp[]): OpColumns {
  const texts = (of: (op: LimitOp) => string | null): Column => packTexts(ops.map(of));
  const numbers = (of: (op: LimitOp) => number | null): Column => packNumbers(ops.map(of));
  const flags = (of: (op: LimitOp) => boolean): Column => packIntegers(ops.map((op) => (of(op) ? 1 : 0)));
  // Unanswered: Infinity, which JSON does not know.
  const since = (of: (op: LimitOp) => number): Column =>
    packIntegers(ops.map((op) => (Number.isFinite(of(op)) ? microsecondsOf(of(op)) - microsecondsOf(op.sentMs) : null)));
  const labels = ops.map(({ label }) => splitLabel(label));
  return {
    seq: packSeries(ops.map(({ seq }) => seq)),
    key: texts(({ key }) => key),
    endpoint: texts(({ endpoint }) => endpoint),
    policy: texts(({ policy }) => policy),
    phase: texts(({ phase }) => phase),
    label: packTexts(labels.map(({ text }) => text)),
    labelNumber: packSeries(labels.map(({ number }) => number)),
    path: texts(({ path }) => path),
    sent: packSeries(ops.map(({ sentMs }) => microsecondsOf(sentMs))),
    headers: since(({ headersMs }) => headersMs),
    end: since(({ endMs }) => endMs),
    late: packIntegers(ops.map(({ lateMs }) => lateMs)),
    status: packIntegers(ops.map(({ status }) => status)),
    outcome: texts(({ outcome }) => outcome),
    cause: texts(({ cause }) => cause),
    requestsLimit: numbers(({ requests }) => requests.limit),
    requestsRemaining: numbers(({ requests }) => requests.remaining),
    requestsReset: numbers(({ requests }) => requests.resetMs),
    requestsFormat: texts(({ requests }) => requests.resetFormat),
    tokensLimit: numbers(({ tokens }) => tokens.limit),
    tokensRemaining: numbers(({ tokens }) => tokens.remaining),
    tokensReset: numbers(({ tokens }) => tokens.resetMs),
    tokensFormat: texts(({ tokens }) => tokens.resetFormat),
    headerProblems: texts(({ headerProblems }) => (headerProblems.length === 0 ? null : JSON.stringify(headerProblems))),
    retry: texts(({ retry }) => (retry === null ? null : JSON.stringify(retry))),
    date: numbers(({ dateMs }) => dateMs),
    ownOffset: packIntegers(ops.map(({ ownOffsetMs }) => ownOffsetMs)),
    usedTokens: numbers(({ usedTokens }) => usedTokens),
    promptTokens: numbers(({ promptTokens }) => promptTokens),
    cachedTokens: numbers(({ cachedTokens }) => cachedTokens),
    completionTokens: numbers(({ completionTokens }) => completionTokens),
    streamed: flags(({ streamed }) => streamed),
    maxTokens: numbers(({ maxTokens }) => maxTokens),
    cached: flags(({ cached }) => cached),
  };
}

type Unpacked = {
  readonly [Name in keyof typeof kinds]: readonly ((typeof kinds)[Name] extends "texts" ? string | null : number | null)[];
};

/** The operations again. Throws a ColumnError for what `packOps` cannot have made. */
export function unpackOps(columns: unknown, rows: number): readonly LimitOp[] {
  if (typeof columns !== "object" || columns === null) throw new ColumnError("there are no columns");
  const unpack = (name: string, kind: keyof typeof unpackers): readonly unknown[] => {
    const column = (columns as Readonly<Record<string, unknown>>)[name];
    if (column === undefined && addedLater.has(name)) return [];
    try {
      return unpackers[kind](column, rows);
    } catch (error) {
      throw error instanceof ColumnError ? new ColumnError(`${name}: ${error.message}`) : error;
    }
  };
  const read = Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, unpack(name, kind)])) as Unpacked;
  const ops: LimitOp[] = [];
  for (let row = 0; row < rows; row += 1) {
    const sentAt = read.sent[row] ?? 0;
    const later = (offset: number | null | undefined): number => (offset == null ? Infinity : (sentAt + offset) / 1000);
    const number = read.labelNumber[row] ?? null;
    ops.push({
      seq: read.seq[row] ?? 0,
      key: read.key[row] ?? "",
      endpoint: (read.endpoint[row] ?? null) as LimitOp["endpoint"],
      policy: (read.policy[row] ?? "") as LimitOp["policy"],
      phase: (read.phase[row] ?? "load") as LimitOp["phase"],
      label: `${read.label[row] ?? ""}${number ?? ""}`,
      path: read.path[row] ?? "",
      sentMs: sentAt / 1000,
      headersMs: later(read.headers[row]),
      endMs: later(read.end[row]),
      lateMs: read.late[row] ?? null,
      status: read.status[row] ?? null,
      outcome: (read.outcome[row] ?? "maybe") as LimitOp["outcome"],
      cause: (read.cause[row] ?? null) as LimitOp["cause"],
      requests: quota(read.requestsLimit[row], read.requestsRemaining[row], read.requestsReset[row], read.requestsFormat[row]),
      tokens: quota(read.tokensLimit[row], read.tokensRemaining[row], read.tokensReset[row], read.tokensFormat[row]),
      headerProblems: parse(read.headerProblems[row], []) as LimitOp["headerProblems"],
      retry: parse(read.retry[row], null) as LimitOp["retry"],
      dateMs: read.date[row] ?? null,
      ownOffsetMs: read.ownOffset[row] ?? null,
      usedTokens: read.usedTokens[row] ?? null,
      promptTokens: read.promptTokens[row] ?? null,
      cachedTokens: read.cachedTokens[row] ?? null,
      completionTokens: read.completionTokens[row] ?? null,
      streamed: read.streamed[row] === 1,
      maxTokens: read.maxTokens[row] ?? null,
      cached: read.cached[row] === 1,
    });
  }
  return ops;
}

function quota(
  limit: number | null | undefined,
  remaining: number | null | undefined,
  reset: number | null | undefined,
  format: string | null | undefined,
): QuotaReading {
  return {
    limit: limit ?? null,
    remaining: remaining ?? null,
    resetMs: reset ?? null,
    resetFormat: (format ?? null) as QuotaReading["resetFormat"],
  };
}

function parse(text: string | null | undefined, otherwise: unknown): unknown {
  if (text == null) return otherwise;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ColumnError("a text that is not JSON");
  }
}

/** `chat#17` as text and number, so that the texts of many labels are the same. */
function splitLabel(label: string): { readonly text: string; readonly number: number | null } {
  const match = /^(.*#)(0|[1-9]\d{0,14})$/s.exec(label);
  return match === null ? { text: label, number: null } : { text: match[1] ?? "", number: Number(match[2]) };
}
