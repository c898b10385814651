import { headerValues, type HeaderList } from "./header-list.ts";
import { parseHttpDate } from "./http-date.ts";
import { isJsonObject } from "../bodies/recorded-json.ts";
import { readWholeNumber } from "./whole-number.ts";

/**
 * Everything a response says about when to come back (specification, sections "Errors", "Rate limits", "Spend caps").
 * Each hint is read apart so that they can be compared; all are waits counted from the receipt of the response.
 */
export interface RetryHints {
  /** Field `Retry-After` (RFC 9110 section 10.2.3). */
  readonly header: RetryAfterHeader | null;
  /** Body member `retry-after`, seconds. */
  readonly bodySeconds: RetryMember | null;
  /** Body member `retry_after_ms`, milliseconds. */
  readonly bodyMs: RetryMember | null;
  /** Field `retry-after-ms`, not in the specification but sent by some services. */
  readonly headerMs: RetryMember | null;
  readonly problems: readonly RetryHintProblem[];
}

export interface RetryAfterHeader {
  readonly raw: string;
  readonly format: "delay-seconds" | "http-date" | "invalid";
  /** Milliseconds to wait; for a date counted from the Date field of the same response, else from the local receipt. */
  readonly waitMs: number | null;
  /** For a date: the wait counted from the local receipt; services whose Date is wrong mean this one. */
  readonly waitFromReceiptMs?: number | null;
}

/**
 * How far the header may be from the body, milliseconds. Waits in seconds are rounded once each; a date is a whole second, counted from a
 * `Date` that is one as well.
 */
export function retryAgreementMs(header: RetryAfterHeader | null): number {
  return header?.format === "http-date" ? 2000 : 1000;
}

export interface RetryMember {
  /** As found: a number, or whatever else was there. */
  readonly raw: unknown;
  /** null when the value is no usable number. */
  readonly waitMs: number | null;
}

export interface RetryHintProblem {
  readonly hint: "Retry-After" | "retry-after" | "retry_after_ms" | "retry-after-ms";
  readonly kind:
    | "repeated"
    | "empty"
    | "negative"
    | "fraction"
    | "not-a-number"
    | "number-in-string"
    | "invalid-date"
    | "too-large";
  readonly raw: string;
}

/** Largest wait that is taken for real: a billing cycle and a day. */
const largestWaitMs = 32 * 24 * 3_600_000;

/** When a response was written and read, in Unix milliseconds. */
export interface ResponseInstants {
  /** By the clock of the target; null where it does not say. */
  readonly dateMs: number | null;
  /** By the local wall clock at the response head: it only serves dates of a target that does not say when it wrote them. */
  readonly receivedMs: number;
}

/** Reads all hints. `value` is the parsed JSON body or undefined. */
export function readRetryHints(headers: HeaderList, value: unknown, instants: ResponseInstants): RetryHints {
  const problems: RetryHintProblem[] = [];
  const body = isJsonObject(value) ? value : {};
  return {
    header: readHeader(headers, instants, problems),
    bodySeconds: "retry-after" in body ? readMember(body["retry-after"], 1000, "retry-after", problems) : null,
    bodyMs: "retry_after_ms" in body ? readMember(body["retry_after_ms"], 1, "retry_after_ms", problems) : null,
    headerMs: readHeaderMs(headers, problems),
    problems,
  };
}

/** The longest usable wait in milliseconds, null when there is none. Longest: coming back early is what limits punish. */
export function longestWaitMs(hints: RetryHints): number | null {
  const waits = [hints.header, hints.bodySeconds, hints.bodyMs, hints.headerMs]
    .map((hint) => hint?.waitMs ?? null)
    .filter((wait) => wait !== null);
  return waits.length === 0 ? null : Math.max(...waits);
}

function readHeader(
  headers: HeaderList,
  { dateMs, receivedMs }: ResponseInstants,
  problems: RetryHintProblem[],
): RetryAfterHeader | null {
  const values = headerValues(headers, "retry-after");
  const raw = values[0];
  if (raw === undefined) return null;
  if (values.length > 1) problems.push({ hint: "Retry-After", kind: "repeated", raw: values.join(" | ") });
  const text = raw.trim();
  const seconds = readWholeNumber(text) ?? (/^\d+$/.test(text) ? Number(text) : null);
  if (seconds !== null) return { raw, format: "delay-seconds", waitMs: boundedMs(seconds * 1000, "Retry-After", raw, problems) };
  const retryMs = parseHttpDate(text, receivedMs);
  if (retryMs !== null) {
    const waitMs = boundedMs(Math.max(0, retryMs - (dateMs ?? receivedMs)), "Retry-After", raw, problems);
    const waitFromReceiptMs = Math.min(largestWaitMs, Math.max(0, retryMs - receivedMs));
    return { raw, format: "http-date", waitMs, waitFromReceiptMs };
  }
  problems.push({ hint: "Retry-After", kind: headerProblem(text), raw });
  // A fraction is against the grammar, but what it means is plain.
  const waitMs = /^\d+\.\d+$/.test(text) ? Number(text) * 1000 : null;
  return { raw, format: "invalid", waitMs };
}

function headerProblem(text: string): RetryHintProblem["kind"] {
  if (text === "") return "empty";
  if (/^-\d+(\.\d+)?$/.test(text)) return "negative";
  if (/^\d+\.\d+$/.test(text)) return "fraction";
  return /^[A-Z][a-z]{2,8},? /.test(text) ? "invalid-date" : "not-a-number";
}

function readMember(
  raw: unknown,
  unitMs: number,
  hint: "retry-after" | "retry_after_ms",
  problems: RetryHintProblem[],
): RetryMember {
  if (typeof raw === "number" && raw >= 0 && (unitMs > 1 ? Number.isFinite(raw) : Number.isInteger(raw))) {
    return { raw, waitMs: boundedMs(raw * unitMs, hint, String(raw), problems) };
  }
  const report = (kind: RetryHintProblem["kind"]): void => {
    problems.push({ hint, kind, raw: typeof raw === "string" ? raw : (JSON.stringify(raw) ?? "undefined") });
  };
  let number = raw;
  if (typeof raw === "string") {
    const numeric = /^\s*-?\d+(\.\d+)?\s*$/.test(raw);
    report(raw.trim() === "" ? "empty" : numeric ? "number-in-string" : "not-a-number");
    if (!numeric) return { raw, waitMs: null };
    number = Number(raw);
  }
  if (typeof number !== "number" || !Number.isFinite(number)) {
    report("not-a-number");
    return { raw, waitMs: null };
  }
  if (number < 0) {
    report("negative");
    return { raw, waitMs: null };
  }
  // Milliseconds are an integer by the table of section "Spend caps"; seconds have no stated type.
  if (unitMs === 1 && !Number.isInteger(number)) report("fraction");
  return { raw, waitMs: boundedMs(number * unitMs, hint, String(number), problems) };
}

function readHeaderMs(headers: HeaderList, problems: RetryHintProblem[]): RetryMember | null {
  const [raw] = headerValues(headers, "retry-after-ms");
  if (raw === undefined) return null;
  if (/^\d+(\.\d+)?$/.test(raw.trim())) return { raw, waitMs: boundedMs(Number(raw), "retry-after-ms", raw, problems) };
  problems.push({ hint: "retry-after-ms", kind: headerProblem(raw.trim()), raw });
  return { raw, waitMs: null };
}

function boundedMs(waitMs: number, hint: RetryHintProblem["hint"], raw: string, problems: RetryHintProblem[]): number | null {
  if (waitMs <= largestWaitMs) return waitMs;
  problems.push({ hint, kind: "too-large", raw });
  return null;
}
