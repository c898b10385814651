import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { isUnplannedTrouble, troubleOf } from "../../judging/trouble.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { mayBeBilling } from "./may-be-billing.ts";
import { hasPurpose, violationOf } from "../../judging/subjects.ts";

/** Purpose of a request with a key that has reached its spend cap. */
export const cappedPurpose = "use a key that reached its cap";

/** Accounts that cannot pay are refused with 402 everywhere; a reached cap is 429 and not mixed up with it. */
export const blockedAccount: ExchangeJudge = {
  scope: "exchange",
  id: "blocked-account",
  aspect: "status",
  covers: ["ERR-014", "ERR-015", "ERR-016", "SPEND-021"],
  concerns: ({ intent }) => intent === "violates" || intent === "housekeeping",
  judge(exchange, outcomes) {
    const violation = violationOf(exchange);
    if (violation?.condition === "payment-required" && !mayBeBilling(exchange)) {
      const { requirement } = violation;
      judgeBlocked(exchange, "ERR-016", outcomes);
      if (requirement === "ERR-014" || requirement === "ERR-015") judgeBlocked(exchange, requirement, outcomes);
      if (exchange.keyName === "noCredit") judgeKind(exchange, 402, outcomes);
    }
    if (hasPurpose(exchange, cappedPurpose)) judgeKind(exchange, 429, outcomes);
  },
};

function judgeBlocked(exchange: ExchangeFacts, requirement: string, outcomes: Outcomes): void {
  if (exchange.status === 402) outcomes.pass(requirement);
  else if (isTrouble(exchange) && (exchange.status ?? 0) < 500) outcomes.inconclusive(requirement, troubleOf(exchange));
  else {
    // A server error is confirmed by repeating like any other wrong answer.
    outcomes.fail(requirement, {
      kind: "an account that cannot pay is not refused with 0",
      message: "an account that cannot pay is not refused with 402",
      expected: "402",
      observed: describeAnswer(exchange),
      // To serve is no accident of the way: a service that blocks from the second request on served the first one.
      ...(exchange.isSuccess ? { conclusive: true } : {}),
    });
  }
}

/** Only a confusion of the two is a matter of this row; that the key is refused at all is one of others. */
function judgeKind(exchange: ExchangeFacts, wanted: 402 | 429, outcomes: Outcomes): void {
  const { status } = exchange;
  const confused = wanted === 402 ? 429 : 402;
  if (status === wanted) outcomes.pass("SPEND-021");
  else if (status !== confused || isTrouble(exchange)) {
    outcomes.inconclusive("SPEND-021", `the key is not refused as expected: ${describeAnswer(exchange)}`);
  } else {
    outcomes.fail("SPEND-021", {
      kind: wanted === 402 ? "used-up credit is answered like a reached cap" : "a reached cap is answered like used-up credit",
      expected: `${wanted}`,
      observed: describeAnswer(exchange),
    });
  }
}

/** A 429 is an excuse only where a window is really used up; with something left it is the answer to the account. */
function isTrouble(exchange: ExchangeFacts): boolean {
  if (exchange.status !== 429) return isUnplannedTrouble(exchange);
  const cause = exchange.rejectCause;
  return cause === "requests" || cause === "tokens" || cause === "unknown";
}
