import type { Exchange } from "../../../core/exchange/exchange.ts";
import { describeAnswer, isUnplannedTrouble, rejectCauseOf, statusOf, troubleOf } from "../../judging/exchange-view.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { hasPurpose, violationOf } from "../subjects.ts";

/** Purpose of a request with a key that has reached its spend cap. */
export const cappedPurpose = "use a key that reached its cap";

/** Accounts that cannot pay are refused with 402 everywhere; a reached cap is 429 and not mixed up with it. */
export const blockedAccount: ExchangeJudge = {
  scope: "exchange",
  id: "blocked-account",
  covers: ["ERR-014", "ERR-015", "ERR-016", "SPEND-021"],
  concerns: ({ intent }) => intent === "violates" || intent === "housekeeping",
  *judge(exchange): Iterable<Occurrence> {
    const violation = violationOf(exchange);
    if (violation?.condition === "payment-required") {
      const { requirement } = violation;
      yield judgeBlocked(exchange, "ERR-016");
      if (requirement === "ERR-014" || requirement === "ERR-015") yield judgeBlocked(exchange, requirement);
      if (exchange.keyName === "noCredit") yield judgeKind(exchange, 402, 429);
    }
    if (hasPurpose(exchange, cappedPurpose)) yield judgeKind(exchange, 429, 402);
  },
};

function judgeBlocked(exchange: Exchange, requirement: string): Occurrence {
  const subject = { requirement, exchanges: [exchange.seq] };
  if (statusOf(exchange) === 402) return { ...subject, outcome: "pass" };
  if (isTrouble(exchange)) return { ...subject, outcome: "inconclusive", message: troubleOf(exchange) };
  return {
    ...subject,
    outcome: "fail",
    message: "an account that cannot pay is not refused with 402",
    expected: "402",
    observed: describeAnswer(exchange),
  };
}

/** Only a confusion of the two is a matter of this row; that the key is refused at all is one of others. */
function judgeKind(exchange: Exchange, wanted: 402 | 429, confused: 402 | 429): Occurrence {
  const subject = { requirement: "SPEND-021", exchanges: [exchange.seq] };
  const status = statusOf(exchange);
  if (status === wanted) return { ...subject, outcome: "pass" };
  if (status !== confused || isTrouble(exchange)) {
    return { ...subject, outcome: "inconclusive", message: `the key is not refused as expected: ${describeAnswer(exchange)}` };
  }
  return {
    ...subject,
    outcome: "fail",
    message: wanted === 402 ? "used-up credit is answered like a reached cap" : "a reached cap is answered like used-up credit",
    expected: `${wanted}`,
    observed: describeAnswer(exchange),
  };
}

/** A 429 is an excuse only where a window is really used up; with something left it is the answer to the account. */
function isTrouble(exchange: Exchange): boolean {
  if (statusOf(exchange) !== 429) return isUnplannedTrouble(exchange);
  const cause = rejectCauseOf(exchange);
  return cause === "requests" || cause === "tokens" || cause === "unknown";
}
