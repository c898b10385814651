import type { Exchange } from "../core/exchange.ts";
import type { OutcomeClass } from "../core/load-result.ts";
import { singleHeader } from "../core/header-list.ts";
import type { StreamProgress } from "./stream-progress.ts";

/**
 * Class of an answer. Rejects are kept apart by cause (spec, section "Limits"): the quota shape is a spend cap, an error
 * code that names burst or cooldown is the burst limit, every other 429 is the rate limit. A stream that broke, carried an
 * error object or no event at all is not an answer.
 */
export function classifyOutcome(exchange: Exchange, progress: StreamProgress | null, body: unknown): OutcomeClass {
  if (exchange.failure?.kind === "budget") return "not-sent";
  if (exchange.failure !== null || exchange.response === null) return "transport-error";
  const { status } = exchange.response;
  if (status === 429) return rejectCause(body);
  if (status >= 500) return "server-error";
  if (status >= 400) return "client-error";
  if (status < 200 || status >= 300) return "server-error";
  if (progress !== null && (progress.error || exchange.response.stream?.events.length === 0)) return "server-error";
  return "ok";
}

function rejectCause(body: unknown): OutcomeClass {
  if (typeof body !== "object" || body === null) return "rate-limited";
  const { error, cap_type: capType } = body as { readonly error?: unknown; readonly cap_type?: unknown };
  if (error === "quota_exceeded" || capType !== undefined) return "spend-capped";
  const code: unknown = typeof error === "object" && error !== null ? (error as { readonly code?: unknown }).code : error;
  if (typeof code === "string" && /burst|cooldown/i.test(code)) return "burst-limited";
  return "rate-limited";
}

/** Longest wait that a 429 or 503 asks for, in milliseconds; null when it asks for none that can be read. */
export function promisedWaitMs(exchange: Exchange, body: unknown): number | null {
  const response = exchange.response;
  if (response === null || (response.status !== 429 && response.status !== 503)) return null;
  const waits: number[] = [];
  const header = singleHeader(response.headers, "retry-after");
  if (header !== null && /^\d+$/.test(header.trim())) waits.push(1000 * Number(header));
  if (header !== null && !/^\d+$/.test(header.trim())) {
    const at = Date.parse(header);
    if (!Number.isNaN(at)) waits.push(Math.max(0, at - exchange.timing.wallMs));
  }
  if (typeof body === "object" && body !== null) {
    const members = body as Readonly<Record<string, unknown>>;
    const nested = members["error"];
    for (const source of [members, typeof nested === "object" && nested !== null ? (nested as typeof members) : {}]) {
      const seconds = source["retry-after"];
      const milliseconds = source["retry_after_ms"];
      if (typeof seconds === "number" && seconds >= 0) waits.push(1000 * seconds);
      if (typeof milliseconds === "number" && milliseconds >= 0) waits.push(milliseconds);
    }
  }
  const longest = Math.max(...waits);
  return Number.isFinite(longest) ? longest : null;
}
