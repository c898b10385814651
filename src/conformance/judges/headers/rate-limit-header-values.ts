import type { RateLimitHeaderProblem, RateLimitUnit } from "../../../core/exchange/rate-limit-headers.ts";
import { createFieldFinder, headerValues, type HeaderList } from "../../../core/exchange/header-list.ts";
import { readWholeNumber } from "../../../core/exchange/whole-number.ts";
import { rateLimitOf, targetNowSeconds } from "../../judging/exchange-view.ts";
import { createGlancedLists } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { type Answered, isAnswered, weightOfHeaders } from "../subjects.ts";

const countNames = [
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-tokens",
] as const;
const units = ["requests", "tokens"] as const;
const findFields = createFieldFinder(
  units.flatMap((unit) => [`x-ratelimit-limit-${unit}`, `x-ratelimit-remaining-${unit}`, `x-ratelimit-reset-${unit}`]),
);
const longestWindowSeconds = 86_400;
const pastToleranceSeconds = 2;

const glanced = createGlancedLists([...countNames.map(() => "RATE-007"), "RATE-008", "RATE-010", "RATE-009", "RATE-011"]);

/** Counts are decimal integers, remaining never exceeds the limit, resets are Unix seconds ahead of now (AMB-11). */
export const rateLimitHeaderValues: ExchangeJudge = {
  scope: "exchange",
  id: "rate-limit-header-values",
  covers: ["RATE-007", "RATE-008", "RATE-009", "RATE-010", "RATE-011"],
  glance(exchange) {
    if (!isAnswered(exchange)) return glanced(0);
    const { headers } = exchange.response;
    const places = findFields(headers);
    const nowSeconds = targetNowSeconds(exchange);
    for (let first = 0; first < places.length; first += 3) {
      const limit = wholeNumber(headers, places[first]);
      const remaining = wholeNumber(headers, places[first + 1]);
      const reset = wholeNumber(headers, places[first + 2]);
      // One field alone may be meant in another dialect: whatever is not simply there takes the long way.
      if (limit === null || remaining === null || reset === null) return tellsLimits(exchange) ? null : glanced(0);
      if (remaining > limit) return null;
      if (reset < Math.floor(nowSeconds) - pastToleranceSeconds || reset > nowSeconds + longestWindowSeconds) return null;
    }
    return glanced(0b11111111);
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isAnswered(exchange)) return;
    const read = rateLimitOf(exchange);
    yield* judgeCounts(exchange, read.problems);
    for (const unit of units) {
      const { limit, remaining } = read[unit];
      if (limit !== null && remaining !== null) yield compareCounts(exchange, unit, { limit, remaining });
      yield* judgeReset(exchange, unit);
    }
  },
};

function* judgeCounts(exchange: Answered, problems: readonly RateLimitHeaderProblem[]): Iterable<Occurrence> {
  for (const name of countNames) {
    const values = headerValues(exchange.response.headers, name);
    if (values.length === 0) continue;
    const wrong = problems.find((problem) => problem.header === name && problem.kind !== "remaining-above-limit");
    const repeated = values.length > 1;
    yield wrong === undefined && !repeated
      ? { requirement: "RATE-007", outcome: "pass", exchanges: [exchange.seq] }
      : {
          requirement: "RATE-007",
          outcome: weightOfHeaders(exchange),
          exchanges: [exchange.seq],
          message: `${name} is ${repeated ? "sent more than once" : (wrong?.kind ?? "wrong").replaceAll("-", " ")}`,
          expected: "one decimal integer, 0 or more",
          observed: `${name}: ${values.join(" | ")}`,
        };
  }
}

function compareCounts(
  exchange: Answered,
  unit: RateLimitUnit,
  { limit, remaining }: { readonly limit: number; readonly remaining: number },
): Occurrence {
  const requirement = unit === "requests" ? "RATE-008" : "RATE-009";
  if (remaining <= limit) return { requirement, outcome: "pass", exchanges: [exchange.seq] };
  return {
    requirement,
    outcome: weightOfHeaders(exchange),
    exchanges: [exchange.seq],
    message: `more ${unit} remain than the limit allows`,
    expected: `x-ratelimit-remaining-${unit} at most ${limit}`,
    observed: `x-ratelimit-remaining-${unit}: ${remaining}`,
  };
}

function* judgeReset(exchange: Answered, unit: RateLimitUnit): Iterable<Occurrence> {
  const name = `x-ratelimit-reset-${unit}`;
  const requirement = unit === "requests" ? "RATE-010" : "RATE-011";
  const values = headerValues(exchange.response.headers, name);
  if (values.length === 0) return;
  const nowSeconds = targetNowSeconds(exchange);
  const problem = values.length > 1 ? "is sent more than once" : describeReset((values[0] ?? "").trim(), nowSeconds);
  if (problem === null) {
    yield { requirement, outcome: "pass", exchanges: [exchange.seq] };
    return;
  }
  yield {
    requirement,
    outcome: problem === fractional ? "advisory" : weightOfHeaders(exchange),
    exchanges: [exchange.seq],
    message: `${name} ${problem}`,
    expected: `a Unix time in whole seconds between ${Math.floor(nowSeconds - pastToleranceSeconds)} and ${Math.ceil(nowSeconds + longestWindowSeconds)}`,
    observed: `${name}: ${values.join(" | ")}`,
  };
}

const fractional = "has a fraction of a second";

/** What is wrong with a reset, named by its likely cause; null when it is as it should be. */
function describeReset(text: string, nowSeconds: number): string | null {
  if (!/^\d+(?:\.\d+)?$/.test(text)) {
    if (/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return "is a duration, not an instant";
    if (/^\d{4}-\d\d-\d\dT/.test(text)) return "is an ISO 8601 instant, not Unix seconds";
    if (/^[A-Z][a-z]{2}, /.test(text)) return "is an HTTP date, not Unix seconds";
    return /^-\d/.test(text) ? "is negative" : "is not a number";
  }
  const seconds = Number(text);
  if (seconds >= 1e17) return "is in microseconds or finer, not in seconds";
  if (seconds >= 1e11) return "is in milliseconds, not in seconds";
  if (seconds < 1e9) return "is a number of seconds to wait, not an instant";
  if (seconds < Math.floor(nowSeconds) - pastToleranceSeconds) return "lies in the past";
  if (seconds > nowSeconds + longestWindowSeconds) return "lies more than a day ahead";
  return text.includes(".") ? fractional : null;
}

/** Whether any field may speak of limits, in whichever dialect. */
function tellsLimits({ response }: Answered): boolean {
  for (const [name] of response.headers) if (/rate-?limit/i.test(name)) return true;
  return false;
}

/** The value of a field that is there once and holds digits alone, at most fifteen; null otherwise. */
function wholeNumber(headers: HeaderList, place = -1): number | null {
  const text = place < 0 ? undefined : headers[place]?.[1];
  return text === undefined ? null : readWholeNumber(text);
}
