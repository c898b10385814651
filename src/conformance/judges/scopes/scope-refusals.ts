import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { isUnplannedTrouble, troubleOf } from "../../judging/trouble.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { hasPurpose, violates } from "../../judging/subjects.ts";

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
  aspect: "status",
  covers: ["AUTH-015", "AUTH-016", "AUTH-034", "ERR-017", "PATH-001", "PATH-003", "PATH-004"],
  concerns: ({ intent }) => intent === "violates" || intent === "housekeeping",
  judge(exchange, outcomes) {
    if (violates(exchange, "missing-scope")) {
      for (const requirement of ["AUTH-015", "AUTH-016"]) judgeRefusal(exchange, requirement, outcomes);
    } else if (hasPurpose(exchange, unscopedPurpose)) {
      judgeAgents(exchange, outcomes);
    } else if (hasPurpose(exchange, scopedPurpose)) {
      judgeAllowed(exchange, exchange.keyName === "admin" ? "PATH-004" : "PATH-003", [401, 403], outcomes);
    } else if (hasPurpose(exchange, readingPurpose)) {
      judgeAllowed(exchange, "AUTH-034", [403], outcomes);
    }
  },
};

function judgeRefusal(exchange: ExchangeFacts, requirement: string, outcomes: Outcomes): void {
  const needsCode = requirement === "AUTH-015" && exchange.errorCode === null;
  if (exchange.status === 403 && !needsCode) outcomes.pass(requirement);
  // A body that cannot be read is a finding of its own.
  else if (exchange.status === 403 && exchange.obstacle !== null) outcomes.inconclusive(requirement, exchange.obstacle.words);
  else if (isUnplannedTrouble(exchange)) outcomes.inconclusive(requirement, troubleOf(exchange));
  else {
    outcomes.fail(requirement, {
      ...(exchange.isSuccess
        ? { kind: "a key without write scope is allowed to write" }
        : {
            kind: "a key without the needed scope is not refused with 0 and a code",
            message: "a key without the needed scope is not refused with 403 and a code",
          }),
      expected: "403 with an error code",
      observed: describeAnswer(exchange),
    });
  }
}

function judgeAgents(exchange: ExchangeFacts, outcomes: Outcomes): void {
  if (exchange.status === 404 || exchange.status === 405) {
    outcomes.observed("PATH-001", () => "the path does not exist", "the agents endpoint does not exist");
    return;
  }
  for (const requirement of ["PATH-001", "AUTH-015", "AUTH-016", "ERR-017"]) judgeRefusal(exchange, requirement, outcomes);
}

function judgeAllowed(exchange: ExchangeFacts, requirement: string, refusals: readonly number[], outcomes: Outcomes): void {
  if (isUnplannedTrouble(exchange)) outcomes.inconclusive(requirement, troubleOf(exchange));
  else {
    outcomes.passOrFail(requirement, !refusals.includes(exchange.status ?? 0), () => ({
      kind: "a key that has the scope is refused",
      expected: `any status but ${refusals.join(" and ")}`,
      observed: describeAnswer(exchange),
    }));
  }
}
