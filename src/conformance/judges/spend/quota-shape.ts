import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { isJsonObject, type JsonObject, showValue } from "../../judging/json-value.ts";
import { burstPurpose, hasPurpose, isComplete } from "../../judging/subjects.ts";
import { cappedPurpose } from "./exhausted-key.ts";

const longestCycleMs = 32 * 24 * 3_600_000;
const shortestPlausibleMs = 3_600_000;
const daySeconds = 86_400;

/** The body that a reached spend cap has instead of an error code (section "Spend caps"; AMB-09, AMB-17). */
export const quotaShape: ExchangeJudge = {
  scope: "exchange",
  id: "quota-shape",
  covers: ["SPEND-003", "SPEND-004", "SPEND-005", "SPEND-006", "SPEND-015", "SPEND-016"],
  concerns: ({ status }) => status === 429,
  judge(exchange, outcomes) {
    const body = exchange.responseObject;
    if (!isComplete(exchange) || body === null) return;
    const isCapped = hasPurpose(exchange, cappedPurpose);
    judgeMixture(exchange, body, isCapped, outcomes);
    if (!isCapped) return;
    judgeMembers(body, outcomes);
    const wait = body["retry_after_ms"] as number;
    if (!Number.isInteger(wait) || wait < 0) return;
    judgeWait(exchange, wait, outcomes);
    judgeHeader(exchange, wait, outcomes);
  },
};

/** The three members of the quota response, each by itself. */
function judgeMembers(body: JsonObject, outcomes: Outcomes): void {
  const { error, retry_after_ms: wait, cap_type: cap } = body;
  const members = [
    ["SPEND-003", "error", error, error === "quota_exceeded", '"quota_exceeded"'],
    ["SPEND-004", "retry_after_ms", wait, Number.isInteger(wait) && (wait as number) >= 0, "an integer, not negative"],
    ["SPEND-006", "cap_type", cap, typeof cap === "string", "a string"],
  ] as const;
  for (const [requirement, name, value, isRight, expected] of members) {
    outcomes.passOrFail(requirement, isRight, () => ({
      kind: `the refusal of a key at its cap ${value === undefined ? `has no ${name}` : `has another ${name}`}`,
      expected,
      observed: value === undefined ? "no such member" : showValue(value, 60),
    }));
  }
}

/** One cause, one shape: quota members do not stand beside an error code or a retry-after in seconds. */
function judgeMixture(exchange: ExchangeFacts, body: JsonObject, isCapped: boolean, outcomes: Outcomes): void {
  const { error } = body;
  const isQuota = typeof error === "string" || body["cap_type"] !== undefined || body["retry_after_ms"] !== undefined;
  const isCoded = isJsonObject(error) || body["retry-after"] !== undefined;
  // The case lowers the burst limit of a key without a cap and exceeds it.
  const isSwapped = isCapped ? !isQuota : isQuota && hasPurpose(exchange, burstPurpose);
  if (!(isQuota && isCoded) && !isSwapped) {
    outcomes.pass("SPEND-015");
    return;
  }
  const swapped = isCapped ? "a reached spend cap has the shape of a rate limit" : "a burst limit has the shape of a spend cap";
  outcomes.fail("SPEND-015", {
    ...(isQuota && isCoded ? { kind: "a 0 mixes the two shapes", message: "a 429 mixes the two shapes" } : { kind: swapped }),
    expected: isCapped ? "error, retry_after_ms and cap_type" : "error.code and retry-after",
    observed: listMembers(body).join(", "),
  });
}

/** Members of the quota shape, then those of the shape with a code. */
function listMembers(body: JsonObject): readonly string[] {
  const quota = ["cap_type", "retry_after_ms"].filter((name) => name in body);
  const { error } = body;
  return [
    ...quota,
    ...(typeof error === "string" ? ["error"] : []),
    ...(isJsonObject(error) ? ["error.code"] : []),
    ...("retry-after" in body ? ["retry-after"] : []),
  ];
}

/** The reset of a billing cycle is at most a month away; within its last hour it is near. */
function judgeWait(exchange: ExchangeFacts, waitMs: number, outcomes: Outcomes): void {
  if (waitMs > longestCycleMs) {
    outcomes.fail("SPEND-005", {
      kind: "retry_after_ms lies beyond any billing cycle",
      expected: "at most 31 days",
      observed: `${waitMs} ms (${Math.round(waitMs / 86_400_000)} days)`,
    });
  } else if (waitMs >= 60 && waitMs < shortestPlausibleMs && isInSeconds(exchange, waitMs)) {
    outcomes.fail("SPEND-005", {
      kind: "retry_after_ms is in seconds, not in milliseconds",
      expected: "milliseconds",
      observed: String(waitMs),
    });
  } else outcomes.pass("SPEND-005");
}

/**
 * A small number alone proves nothing: the cycle may be about to end. It is in seconds where Retry-After says the same number,
 * or where the wait leads to a midnight in seconds only; cycles begin there, on whichever day.
 */
function isInSeconds(exchange: ExchangeFacts, value: number): boolean {
  // The clock behind Date need not be the one that bills.
  const { earliestMs, latestMs } = exchange.received;
  const clocks = [exchange.targetNowSeconds, earliestMs / 1000, latestMs / 1000];
  if (clocks.some((nowSeconds) => isMidnight(nowSeconds + value / 1000))) return false;
  const { header } = exchange.retryHints;
  return header?.waitMs == null
    ? clocks.some((nowSeconds) => isMidnight(nowSeconds + value))
    : Math.abs(header.waitMs / 1000 - value) <= 1;
}

/** Within the second that Date and the trip of the answer leave open. */
function isMidnight(unixSeconds: number): boolean {
  const beyond = unixSeconds % daySeconds;
  return Math.min(beyond, daySeconds - beyond) <= 2;
}

function judgeHeader({ retryHints: { header } }: ExchangeFacts, waitMs: number, outcomes: Outcomes): void {
  if (header === null) outcomes.observed("SPEND-016", () => "retry_after_ms without Retry-After");
  else if (header.waitMs !== null && Math.abs(header.waitMs - waitMs) <= 1000) {
    outcomes.observed("SPEND-016", () => "Retry-After agrees with retry_after_ms");
  } else {
    outcomes.fail("SPEND-016", {
      kind: "Retry-After and retry_after_ms disagree",
      expected: `about ${Math.round(waitMs / 1000)} seconds`,
      observed: `Retry-After: ${header.raw}`,
    });
  }
}
