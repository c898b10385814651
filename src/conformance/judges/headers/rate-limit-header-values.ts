import type { RateLimitUnit } from "../../../core/exchange/headers/rate-limit-headers.ts";
import { createFieldFinder, fieldAbsent, fieldRepeated, headerValues } from "../../../core/exchange/headers/header-list.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { type Answered, isAnswered, weightOfHeaders } from "../../judging/subjects.ts";

const countNames = [
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-tokens",
] as const;
const resetNames = ["x-ratelimit-reset-requests", "x-ratelimit-reset-tokens"] as const;
const findCounts = createFieldFinder(countNames);
const findResets = createFieldFinder(resetNames);
const longestWindowSeconds = 86_400;
const pastToleranceSeconds = 2;

/** Counts are decimal integers, remaining never exceeds the limit, resets are Unix seconds ahead of now (AMB-11). */
export const rateLimitHeaderValues: ExchangeJudge = {
  scope: "exchange",
  id: "rate-limit-header-values",
  covers: ["RATE-007", "RATE-008", "RATE-009", "RATE-010", "RATE-011"],
  judge(exchange, outcomes) {
    if (!isAnswered(exchange)) return;
    for (let at = 0; at < countNames.length; at += 1) judgeCount(exchange, at, outcomes);
    judgeUnit(exchange, "requests", outcomes);
    judgeUnit(exchange, "tokens", outcomes);
  },
};

function judgeCount(exchange: Answered, at: number, outcomes: Outcomes): void {
  const { headers } = exchange.response;
  const place = findCounts(headers)[at] ?? fieldAbsent;
  if (place === fieldAbsent) return;
  const { problems } = exchange.rateLimit;
  if (problems.length === 0) {
    outcomes.pass("RATE-007");
    return;
  }
  const name = countNames[at] ?? "";
  const isRepeated = place === fieldRepeated;
  const problem = problems.find(({ header, kind }) => header === name && kind !== "remaining-above-limit");
  outcomes.passOrFail("RATE-007", !isRepeated && problem === undefined, () => ({
    outcome: weightOfHeaders(exchange),
    kind: `${name} is ${isRepeated ? "sent more than once" : (problem?.kind ?? "wrong").replaceAll("-", " ")}`,
    expected: "one decimal integer, 0 or more",
    observed: `${name}: ${headerValues(headers, name).join(" | ")}`,
  }));
}

const orderRows = { requests: "RATE-008", tokens: "RATE-009" } as const;
const resetRows = { requests: "RATE-010", tokens: "RATE-011" } as const;

function judgeUnit(exchange: Answered, unit: RateLimitUnit, outcomes: Outcomes): void {
  const { limit, remaining } = exchange.rateLimit[unit];
  if (limit !== null && remaining !== null) {
    outcomes.passOrFail(orderRows[unit], remaining <= limit, () => ({
      outcome: weightOfHeaders(exchange),
      kind: `more ${unit} remain than the limit allows`,
      expected: `x-ratelimit-remaining-${unit} at most ${limit}`,
      observed: `x-ratelimit-remaining-${unit}: ${remaining}`,
    }));
  }
  judgeReset(exchange, unit, outcomes);
}

/** An answer that was written at `nowSeconds`, and whose request came after `fromSeconds`. */
interface Written {
  readonly fromSeconds: number;
  readonly nowSeconds: number;
}

/** A window that was open when the request came may be over when its answer leaves. */
function isPast(seconds: number, { fromSeconds }: Written): boolean {
  return seconds < Math.floor(fromSeconds) - pastToleranceSeconds;
}

/** Whether Unix seconds are near enough to be those of a window. */
function isInRange(seconds: number, written: Written): boolean {
  return seconds >= 1e9 && !isPast(seconds, written) && seconds <= written.nowSeconds + longestWindowSeconds;
}

function judgeReset(exchange: Answered, unit: RateLimitUnit, outcomes: Outcomes): void {
  const { headers } = exchange.response;
  const place = findResets(headers)[unit === "requests" ? 0 : 1] ?? fieldAbsent;
  if (place === fieldAbsent) return;
  const { reset } = exchange.rateLimit[unit];
  // How exact Date is, is not stated: a reset that fits the clock of this machine is not past because Date is ahead of it.
  const writtenAt = (nowSeconds: number): Written => ({ fromSeconds: nowSeconds - exchange.headSeconds, nowSeconds });
  const clocks = [writtenAt(exchange.targetNowSeconds), writtenAt(exchange.received.latestMs / 1000)] as const;
  const fitting = reset?.kind === "instant" ? clocks.find((written) => isInRange(reset.unixMs / 1000, written)) : undefined;
  const written = fitting ?? clocks[0];
  // As nearly all services write it, and read already.
  if (place >= 0 && reset?.kind === "instant" && reset.format === "unix-seconds" && isInRange(reset.unixMs / 1000, written)) {
    outcomes.pass(resetRows[unit]);
    return;
  }
  const problem = place === fieldRepeated ? "is sent more than once" : describeReset((headers[place]?.[1] ?? "").trim(), written);
  const name = `x-ratelimit-reset-${unit}`;
  const from = Math.floor(written.fromSeconds - pastToleranceSeconds);
  const to = Math.ceil(written.nowSeconds + longestWindowSeconds);
  outcomes.passOrFail(resetRows[unit], problem === null, () => ({
    outcome: problem === fractional ? "advisory" : weightOfHeaders(exchange),
    kind: `${name} ${problem}`,
    ...(problem === isoInstant && { message: `${name} is an ISO 8601 instant, not Unix seconds` }),
    expected: `a Unix time in whole seconds between ${from} and ${to}`,
    observed: `${name}: ${headerValues(headers, name).join(" | ")}`,
  }));
}

const fractional = "has a fraction of a second";
const isoInstant = "is an ISO 0 instant, not Unix seconds";

/** The fault of a reset, named by its likely cause; null when there is none. */
function describeReset(text: string, written: Written): string | null {
  if (!/^\d+(?:\.\d+)?$/.test(text)) {
    if (/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return "is a duration, not an instant";
    if (/^\d{4}-\d\d-\d\dT/.test(text)) return isoInstant;
    if (/^[A-Z][a-z]{2}, /.test(text)) return "is an HTTP date, not Unix seconds";
    return /^-\d/.test(text) ? "is negative" : "is not a number";
  }
  const seconds = Number(text);
  if (seconds >= 1e17) return "is in microseconds or finer, not in seconds";
  if (seconds >= 1e11) return "is in milliseconds, not in seconds";
  if (seconds < 1e9) return "is a number of seconds to wait, not an instant";
  if (isPast(seconds, written)) return "lies in the past";
  if (seconds > written.nowSeconds + longestWindowSeconds) return "lies more than a day ahead";
  return text.includes(".") ? fractional : null;
}
