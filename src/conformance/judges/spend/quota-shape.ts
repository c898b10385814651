import type { Exchange } from "../../../core/exchange/exchange.ts";
import { responseObject, retryHintsOf, targetNowSeconds } from "../../judging/exchange-view.ts";
import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isJsonObject, type JsonObject, showValue } from "../../judging/json-value.ts";
import { hasPurpose, isComplete } from "../subjects.ts";
import { cappedPurpose } from "./exhausted-key.ts";

/** Purpose of requests that exceed a burst limit (suite settings). */
const burstPurpose = "exceed a burst limit";
const longestCycleMs = 32 * 24 * 3_600_000;
const shortestPlausibleMs = 3_600_000;
const daySeconds = 86_400;

const glanced = createGlancedLists(["SPEND-015"]);

/** The body that a reached spend cap has instead of an error code (section "Spend caps"; AMB-09, AMB-17). */
export const quotaShape: ExchangeJudge = {
  scope: "exchange",
  id: "quota-shape",
  covers: ["SPEND-003", "SPEND-004", "SPEND-005", "SPEND-006", "SPEND-015", "SPEND-016"],
  concerns: ({ status }) => status === 429,
  glance(exchange) {
    if (!isComplete(exchange) || exchange.response.status !== 429) return nothingGlanced;
    const body = responseObject(exchange);
    if (body === null) return nothingGlanced;
    if (exchange.intent.kind === "housekeeping") return null;
    const isQuota = typeof body["error"] === "string" || body["cap_type"] !== undefined || body["retry_after_ms"] !== undefined;
    const isCoded = isJsonObject(body["error"]) || body["retry-after"] !== undefined;
    return isQuota && isCoded ? null : glanced(1);
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isComplete(exchange) || exchange.response.status !== 429) return;
    const body = responseObject(exchange);
    if (body === null) return;
    const isCapped = hasPurpose(exchange, cappedPurpose);
    const hasMembers = typeof body["error"] === "string" || "cap_type" in body || "retry_after_ms" in body;
    yield judgeMixture(exchange, body, isCapped);
    if (!isCapped) return;
    // A body that has these members is judged member by member elsewhere; here it lacks them all.
    if (!hasMembers) yield* ["SPEND-003", "SPEND-004", "SPEND-006"].map((requirement) => missing(exchange, requirement, body));
    const wait = body["retry_after_ms"] as number;
    if (!Number.isInteger(wait) || wait < 0) return;
    yield judgeWait(exchange, wait);
    yield observeHeader(exchange, wait);
  },
};

function missing(exchange: Exchange, requirement: string, body: JsonObject): Occurrence {
  return {
    requirement,
    outcome: "fail",
    exchanges: [exchange.seq],
    message: "the refusal of a key at its cap has none of the members of the quota response",
    expected: "error, retry_after_ms and cap_type",
    observed: showValue(body),
  };
}

/** One cause, one shape: quota members do not stand beside an error code or a retry-after in seconds. */
function judgeMixture(exchange: Exchange, body: JsonObject, isCapped: boolean): Occurrence {
  const quota = ["cap_type", "retry_after_ms"].filter((name) => name in body);
  if (typeof body["error"] === "string") quota.push("error");
  const coded = isJsonObject(body["error"]) ? ["error.code"] : [];
  if ("retry-after" in body) coded.push("retry-after");
  const subject = { requirement: "SPEND-015", exchanges: [exchange.seq] };
  const isMixed = quota.length > 0 && coded.length > 0;
  // The case lowers the burst limit of a key without a cap and exceeds it.
  const isSwapped = isCapped ? quota.length === 0 : hasPurpose(exchange, burstPurpose) && quota.length > 0;
  if (!isMixed && !isSwapped) return { ...subject, outcome: "pass" };
  const swapped = isCapped ? "a reached spend cap has the shape of a rate limit" : "a burst limit has the shape of a spend cap";
  return {
    ...subject,
    outcome: "fail",
    message: isMixed ? "a 429 mixes the two shapes" : swapped,
    expected: isCapped ? "error, retry_after_ms and cap_type" : "error.code and retry-after",
    observed: [...quota, ...coded].join(", "),
  };
}

/** The reset of a billing cycle is at most a month away; within its last hour it is near. */
function judgeWait(exchange: Exchange, waitMs: number): Occurrence {
  const subject = { requirement: "SPEND-005", exchanges: [exchange.seq] };
  if (waitMs > longestCycleMs) {
    return {
      ...subject,
      outcome: "fail",
      message: "retry_after_ms lies beyond any billing cycle",
      expected: "at most 31 days",
      observed: `${waitMs} ms (${Math.round(waitMs / 86_400_000)} days)`,
    };
  }
  return waitMs >= 60 && waitMs < shortestPlausibleMs && isInSeconds(exchange, waitMs)
    ? {
        ...subject,
        outcome: "fail",
        message: "retry_after_ms is in seconds, not in milliseconds",
        expected: "milliseconds",
        observed: String(waitMs),
      }
    : { ...subject, outcome: "pass" };
}

/**
 * A small number alone proves nothing: the cycle may be about to end. It is in seconds where Retry-After says the same number,
 * or where the wait leads to a midnight in seconds only; cycles begin there, on whichever day.
 */
function isInSeconds(exchange: Exchange, value: number): boolean {
  const nowSeconds = targetNowSeconds(exchange);
  if (isMidnight(nowSeconds + value / 1000)) return false;
  const { header } = retryHintsOf(exchange);
  return header?.waitMs == null ? isMidnight(nowSeconds + value) : Math.abs(header.waitMs / 1000 - value) <= 1;
}

/** Within the second that Date and the trip of the answer leave open. */
function isMidnight(unixSeconds: number): boolean {
  const beyond = unixSeconds % daySeconds;
  return Math.min(beyond, daySeconds - beyond) <= 2;
}

function observeHeader(exchange: Exchange, waitMs: number): Occurrence {
  const { header } = retryHintsOf(exchange);
  const subject = { requirement: "SPEND-016", exchanges: [exchange.seq] };
  if (header === null) return { ...subject, outcome: "observed", answer: "no Retry-After beside retry_after_ms" };
  const agrees = header.waitMs !== null && Math.abs(header.waitMs - waitMs) <= 1000;
  return agrees
    ? { ...subject, outcome: "observed", answer: "Retry-After agrees with retry_after_ms" }
    : {
        ...subject,
        outcome: "fail",
        message: "Retry-After and retry_after_ms disagree",
        expected: `about ${Math.round(waitMs / 1000)} seconds`,
        observed: `Retry-After: ${header.raw}`,
      };
}
