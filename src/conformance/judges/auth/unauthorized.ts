import { headerValues } from "../../../core/exchange/headers/header-list.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { isAnswered, isKnownRoute, violationOf } from "../../judging/subjects.ts";

/** 401 and 403 distinguish who is unknown from who may not; RFC 9110 section 15.5.2 wants a challenge with a 401 (AMB-37). */
export const unauthorized: ExchangeJudge = {
  scope: "exchange",
  id: "unauthorized",
  aspect: "status",
  covers: ["AUTH-026", "AUTH-029", "SVC-010"],
  concerns: ({ status, intent }) => status === 401 || intent === "violates",
  judge(exchange, outcomes) {
    if (!isAnswered(exchange) || !isKnownRoute(exchange)) return;
    const { status, headers } = exchange.response;
    if (status === 401) {
      const isChallenged = headerValues(headers, "www-authenticate").some((value) => value.trim() !== "");
      outcomes.passOrFail("AUTH-029", isChallenged, () => ({
        kind: "a 0 without WWW-Authenticate",
        message: "a 401 without WWW-Authenticate",
        expected: "the field WWW-Authenticate (RFC 9110 section 15.5.2)",
        observed: "no such field",
      }));
    }
    const condition = violationOf(exchange)?.condition;
    const isUnknown = condition === "no-credentials" || condition === "bad-credentials";
    if (isUnknown || condition === "missing-scope") {
      outcomes.passOrFail("AUTH-026", status !== (isUnknown ? 403 : 401), () => ({
        kind: isUnknown ? "a bad credential is answered 0" : "a missing scope is answered 0",
        message: isUnknown ? "a bad credential is answered 403" : "a missing scope is answered 401",
        expected: isUnknown ? "401" : "403",
        observed: describeAnswer(exchange),
      }));
    }
    if (condition !== "no-credentials") return;
    outcomes.passOrFail("SVC-010", status < 200 || status >= 300, () => ({
      kind: "a request without credentials is served",
      expected: "401",
      observed: describeAnswer(exchange),
    }));
  },
};
