import { describeAnswer } from "../../judging/describe-answer.ts";
import { isUnplannedTrouble, troubleOf } from "../../judging/trouble.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { hasPurpose } from "../../judging/subjects.ts";

/** Purpose of a request that tries a key soon after its creation. */
export const freshPurpose = "try a fresh key";

/** A new key takes effect within this time; one second more for clocks that show whole seconds. */
const propagationMs = 60_000;
const toleranceMs = 1000;

/** A new key may be refused for a minute, and not longer. */
export const freshKey: ExchangeJudge = {
  scope: "exchange",
  id: "fresh-key",
  covers: ["AUTH-023", "AUTH-024"],
  concerns: ({ intent }) => intent === "housekeeping",
  judge(exchange, outcomes, { manifest }) {
    const createdAtMs = manifest.keys[exchange.keyName ?? ""]?.createdAtMs ?? null;
    if (createdAtMs === null || !hasPurpose(exchange, freshPurpose)) return;
    // One of both clocks may be wrong: a key is old only where both say so, and where it was when the request left.
    const answeredMs = Math.min(exchange.targetNowSeconds * 1000, exchange.received.latestMs);
    const ageMs = answeredMs - 1000 * exchange.headSeconds - createdAtMs;
    if (ageMs < propagationMs && (exchange.isSuccess || exchange.status === 401)) outcomes.pass("AUTH-023");
    if (exchange.isSuccess) outcomes.pass("AUTH-024");
    else if (ageMs < propagationMs) return;
    else if (isUnplannedTrouble(exchange)) outcomes.inconclusive("AUTH-024", troubleOf(exchange));
    else if (ageMs >= propagationMs + toleranceMs) {
      outcomes.fail("AUTH-024", {
        kind: "a new key is still refused after a minute",
        expected: "a 2xx answer",
        observed: `${describeAnswer(exchange)} ${Math.round(ageMs / 1000)} s after its creation`,
      });
    }
  },
};
