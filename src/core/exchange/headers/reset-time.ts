import { parseHttpDate, parseRfc3339 } from "./http-date.ts";
import { readWholeNumber } from "./whole-number.ts";

/** A reset time as found in a header: an instant of the server's clock, or a wait from the response on. */
export type ResetTime =
  | { readonly kind: "instant"; readonly format: ResetFormat; readonly unixMs: number; readonly raw: string }
  | { readonly kind: "wait"; readonly format: ResetFormat; readonly waitMs: number; readonly raw: string };

/** `unix-seconds` is what the specification asks for; the others are dialects seen in the field. */
export type ResetFormat =
  | "unix-seconds"
  | "unix-seconds-fraction"
  | "unix-milliseconds"
  | "delta-seconds"
  /** `1s`, `6m0s`, `12ms`, `2m59.56s` */
  | "duration"
  | "rfc3339"
  | "http-date";

/**
 * Reports the formats apart. A plain number is an instant when it lies within ten years of `receivedUnixMs` in seconds or in
 * milliseconds, and a wait when it is below a year of seconds; null when it is neither or not readable.
 */
export function readResetTime(raw: string, receivedUnixMs: number): ResetTime | null {
  const seconds = readWholeNumber(raw);
  if (seconds !== null) return readNumber(seconds, false, raw, receivedUnixMs);
  const text = raw.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return readNumber(Number(text), text.includes("."), raw, receivedUnixMs);
  const durationMs = parseDurationMs(text);
  if (durationMs !== null) return { kind: "wait", format: "duration", waitMs: durationMs, raw };
  const rfc3339 = parseRfc3339(text);
  if (rfc3339 !== null) return { kind: "instant", format: "rfc3339", unixMs: rfc3339, raw };
  const httpDate = parseHttpDate(text, receivedUnixMs);
  if (httpDate !== null) return { kind: "instant", format: "http-date", unixMs: httpDate, raw };
  return null;
}

/** The reset as an instant of the server's clock, Unix milliseconds; a wait is added to `receivedUnixMs`. */
export function resetUnixMs(reset: ResetTime, receivedUnixMs: number): number {
  return reset.kind === "instant" ? reset.unixMs : receivedUnixMs + reset.waitMs;
}

const yearMs = 366 * 24 * 3_600_000;

function readNumber(number: number, fraction: boolean, raw: string, receivedUnixMs: number): ResetTime | null {
  if (Math.abs(number * 1000 - receivedUnixMs) < 10 * yearMs) {
    return { kind: "instant", format: fraction ? "unix-seconds-fraction" : "unix-seconds", unixMs: number * 1000, raw };
  }
  if (Math.abs(number - receivedUnixMs) < 10 * yearMs)
    return { kind: "instant", format: "unix-milliseconds", unixMs: number, raw };
  if (number * 1000 < yearMs) return { kind: "wait", format: "delta-seconds", waitMs: number * 1000, raw };
  return null;
}

const unitMs: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 1e-6,
};

/** Duration as Go prints it: `1h2m3.5s`. */
function parseDurationMs(text: string): number | null {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|us|µs|ns|d|h|m|s))+$/.test(text)) return null;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|us|µs|ns|d|h|m|s)/g)) {
    total += Number(amount) * (unitMs[unit ?? ""] ?? 0);
  }
  return total;
}
