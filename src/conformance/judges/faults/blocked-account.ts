import type { Exchange } from "../../../core/exchange.ts";
import { rejectCause } from "../../../core/reject-cause.ts";
import { describeAnswer, isQuotaShape, isUnplannedTrouble, responseJson, statusOf, troubleOf } from "../../exchange-view.ts";
import type { ExchangeJudge, Occurrence } from "../../judge.ts";

/** Purpose of a request with a key that has reached its spend cap. */
export const cappedPurpose = "use a key that reached its cap";

/** Accounts that cannot pay are refused with 402 everywhere; a reached cap is 429 and not mixed up with it. */
export const blockedAccount: ExchangeJudge = {
  scope: "exchange",
  id: "blocked-account",
  covers: ["ERR-014", "ERR-015", "ERR-016", "SPEND-021"],
  *judge(exchange): Iterable<Occurrence> {
    const { intent, keyName } = exchange;
    if (intent.kind === "violates" && intent.condition === "payment-required") {
      yield judgeStatus(exchange, "ERR-016", 402);
      if (intent.requirement === "ERR-014" || intent.requirement === "ERR-015")
        yield judgeStatus(exchange, intent.requirement, 402);
      if (keyName === "noCredit") yield judgeStatus(exchange, "SPEND-021", 402);
    }
    if (intent.kind === "housekeeping" && intent.purpose === cappedPurpose) yield judgeStatus(exchange, "SPEND-021", 429);
  },
};

function judgeStatus(exchange: Exchange, requirement: string, expected: 402 | 429): Occurrence {
  const subject = { requirement, exchanges: [exchange.seq] };
  const status = statusOf(exchange);
  const met = status === expected && (expected === 402 || isQuotaShape(exchange));
  if (met) return { ...subject, outcome: "pass" };
  if (isTrouble(exchange)) return { ...subject, outcome: "inconclusive", message: troubleOf(exchange) };
  return {
    ...subject,
    outcome: "fail",
    message: expected === 402 ? "an account that cannot pay is not refused with 402" : "a key at its cap is not refused with 429",
    expected: `${expected}`,
    observed: describeAnswer(exchange),
  };
}

/** A 429 is an excuse only where a window is really used up; with something left it is the answer to the account. */
function isTrouble(exchange: Exchange): boolean {
  if (statusOf(exchange) !== 429) return isUnplannedTrouble(exchange);
  const cause = rejectCause(exchange.response?.headers ?? [], responseJson(exchange), exchange.timing.wallMs);
  return cause === "requests" || cause === "tokens" || cause === "unknown";
}
