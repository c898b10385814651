import type { Exchange } from "../../../core/exchange/exchange.ts";
import { describeAnswer, errorCodeOf, isSuccess, isUnplannedTrouble, statusOf, troubleOf } from "../../judging/exchange-view.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { hasPurpose, violates } from "../subjects.ts";

/** Purpose of a request whose key lacks write scope, on a path that need not exist (AMB-22). */
export const unscopedPurpose = "write without the scope";
/** Purpose of a request whose key has the scope for the agents endpoint. */
export const scopedPurpose = "write with the scope";
/** Purpose of a request that reads with a read-only key. */
export const readingPurpose = "read with a read-only key";

/** Keys without write scope are refused with 403; keys with the named scopes, and readers, are not. */
export const scopeRefusals: ExchangeJudge = {
  scope: "exchange",
  id: "scope-refusals",
  covers: ["AUTH-015", "AUTH-016", "AUTH-034", "ERR-017", "PATH-001", "PATH-003", "PATH-004"],
  concerns: ({ intent }) => intent === "violates" || intent === "housekeeping",
  *judge(exchange): Iterable<Occurrence> {
    if (violates(exchange, "missing-scope")) {
      for (const requirement of ["AUTH-015", "AUTH-016"]) yield judgeRefusal(exchange, requirement);
    } else if (hasPurpose(exchange, unscopedPurpose)) {
      yield* judgeAgents(exchange);
    } else if (hasPurpose(exchange, scopedPurpose)) {
      yield judgeAllowed(exchange, exchange.keyName === "admin" ? "PATH-004" : "PATH-003", [401, 403]);
    } else if (hasPurpose(exchange, readingPurpose)) {
      yield judgeAllowed(exchange, "AUTH-034", [403]);
    }
  },
};

function judgeRefusal(exchange: Exchange, requirement: string): Occurrence {
  const subject = { requirement, exchanges: [exchange.seq] };
  const status = statusOf(exchange);
  const needsCode = requirement === "AUTH-015" && errorCodeOf(exchange) === null;
  if (status === 403 && !needsCode) return { ...subject, outcome: "pass" };
  if (isUnplannedTrouble(exchange)) return { ...subject, outcome: "inconclusive", message: troubleOf(exchange) };
  return {
    ...subject,
    outcome: "fail",
    message: isSuccess(exchange)
      ? "a key without write scope is allowed to write"
      : "a key without the needed scope is not refused with 403 and a code",
    expected: "403 with an error code",
    observed: describeAnswer(exchange),
  };
}

function* judgeAgents(exchange: Exchange): Iterable<Occurrence> {
  const status = statusOf(exchange);
  if (status === 404 || status === 405) {
    yield {
      requirement: "PATH-001",
      outcome: "observed",
      exchanges: [exchange.seq],
      message: "the agents endpoint does not exist",
      answer: "the path does not exist",
    };
    return;
  }
  for (const requirement of ["PATH-001", "AUTH-015", "AUTH-016", "ERR-017"]) yield judgeRefusal(exchange, requirement);
}

function judgeAllowed(exchange: Exchange, requirement: string, refusals: readonly number[]): Occurrence {
  const subject = { requirement, exchanges: [exchange.seq] };
  if (isUnplannedTrouble(exchange)) return { ...subject, outcome: "inconclusive", message: troubleOf(exchange) };
  if (!refusals.includes(statusOf(exchange) ?? 0)) return { ...subject, outcome: "pass" };
  return {
    ...subject,
    outcome: "fail",
    message: "a key that has the scope is refused",
    expected: `any status but ${refusals.join(" and ")}`,
    observed: describeAnswer(exchange),
  };
}
