import type { Exchange } from "../core/exchange.ts";
import { singleHeader } from "../core/header-list.ts";
import { responseObject, targetNowSeconds } from "./exchange-view.ts";

/** When to come back, as told by the three places that the specification names (sections "Errors" and "Limits"). */
export interface RetryHint {
  /** Retry-After field as received, null when absent or repeated. */
  readonly header: string | null;
  /** Seconds of the field (RFC 9110 section 10.2.3: delay-seconds or HTTP-date); null when absent or neither. */
  readonly headerSeconds: number | null;
  /** Member `retry-after` of the body, seconds. */
  readonly bodySeconds: number | null;
  /** Member `retry_after_ms` of the quota shape. */
  readonly bodyMs: number | null;
  /** The longest of those that are given. */
  readonly effectiveMs: number | null;
}

export function readRetryHint(exchange: Exchange): RetryHint {
  const header = exchange.response === null ? null : singleHeader(exchange.response.headers, "retry-after");
  const headerSeconds = header === null ? null : parseRetryAfter(header, targetNowSeconds(exchange));
  const body = responseObject(exchange);
  const bodySeconds = numberOrNull(body?.["retry-after"]);
  const bodyMs = numberOrNull(body?.["retry_after_ms"]);
  const given = [headerSeconds === null ? null : headerSeconds * 1000, bodySeconds === null ? null : bodySeconds * 1000, bodyMs];
  const known = given.filter((ms) => ms !== null);
  return { header, headerSeconds, bodySeconds, bodyMs, effectiveMs: known.length === 0 ? null : Math.max(...known) };
}

const httpDate =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/** Seconds to wait, null when the value fits neither form of RFC 9110 section 10.2.3. */
export function parseRetryAfter(value: string, nowSeconds: number): number | null {
  if (/^\d+$/.test(value)) return Number(value);
  if (!httpDate.test(value)) return null;
  const at = Date.parse(value.endsWith("GMT") ? value : `${value} GMT`);
  return Number.isFinite(at) ? Math.max(0, at / 1000 - nowSeconds) : null;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" && value >= 0 ? value : null;
}
