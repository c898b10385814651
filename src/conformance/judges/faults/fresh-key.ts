import {
  describeAnswer,
  isSuccess,
  isUnplannedTrouble,
  statusOf,
  targetNowSeconds,
  troubleOf,
} from "../../judging/exchange-view.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { hasPurpose } from "../subjects.ts";

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
  *judge(exchange, { manifest }): Iterable<Occurrence> {
    const createdAtMs = manifest.keys[exchange.keyName ?? ""]?.createdAtMs ?? null;
    if (createdAtMs === null || !hasPurpose(exchange, freshPurpose)) return;
    const exchanges = [exchange.seq];
    const ageMs = targetNowSeconds(exchange) * 1000 - createdAtMs;
    if (ageMs < propagationMs && (isSuccess(exchange) || statusOf(exchange) === 401)) {
      yield { requirement: "AUTH-023", outcome: "pass", exchanges };
    }
    const subject = { requirement: "AUTH-024", exchanges };
    if (isSuccess(exchange)) yield { ...subject, outcome: "pass" };
    else if (ageMs < propagationMs) return;
    else if (isUnplannedTrouble(exchange)) yield { ...subject, outcome: "inconclusive", message: troubleOf(exchange) };
    else if (ageMs >= propagationMs + toleranceMs) {
      yield {
        ...subject,
        outcome: "fail",
        message: "a new key is still refused after a minute",
        expected: "a 2xx answer",
        observed: `${describeAnswer(exchange)} ${Math.round(ageMs / 1000)} s after its creation`,
      };
    }
  },
};
