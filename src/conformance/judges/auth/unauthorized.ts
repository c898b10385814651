import { createFieldFinder, fieldAbsent, headerValues } from "../../../core/exchange/header-list.ts";
import { describeAnswer } from "../../judging/exchange-view.ts";
import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isAnswered, isKnownRoute, violationOf } from "../subjects.ts";

const glanced = createGlancedLists(["AUTH-029"]);
const findChallenge = createFieldFinder(["www-authenticate"]);

/** 401 and 403 tell apart who is unknown from who may not; RFC 9110 section 15.5.2 wants a challenge with a 401 (AMB-37). */
export const unauthorized: ExchangeJudge = {
  scope: "exchange",
  id: "unauthorized",
  covers: ["AUTH-026", "AUTH-029", "SVC-010"],
  concerns: ({ status, intent }) => status === 401 || intent === "violates",
  glance(exchange) {
    if (!isAnswered(exchange) || !isKnownRoute(exchange)) return nothingGlanced;
    // What was wrong on purpose has rows of its own.
    if (exchange.intent.kind === "violates") return null;
    const { headers, status } = exchange.response;
    if (status !== 401) return nothingGlanced;
    const place = findChallenge(headers)[0] ?? fieldAbsent;
    return place >= 0 && headers[place]?.[1].trim() !== "" ? glanced(1) : null;
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isAnswered(exchange)) return;
    const { status } = exchange.response;
    const exchanges = [exchange.seq];
    if (status === 401 && isKnownRoute(exchange)) {
      yield headerValues(exchange.response.headers, "www-authenticate").some((value) => value.trim() !== "")
        ? { requirement: "AUTH-029", outcome: "pass", exchanges }
        : {
            requirement: "AUTH-029",
            outcome: "fail",
            exchanges,
            message: "a 401 without WWW-Authenticate",
            expected: "the field WWW-Authenticate (RFC 9110 section 15.5.2)",
            observed: "no such field",
          };
    }
    const condition = violationOf(exchange)?.condition;
    if (!isKnownRoute(exchange)) return;
    const isUnknown = condition === "no-credentials" || condition === "bad-credentials";
    if (isUnknown || condition === "missing-scope") {
      const swapped = isUnknown ? 403 : 401;
      yield status === swapped
        ? {
            requirement: "AUTH-026",
            outcome: "fail",
            exchanges,
            message: isUnknown ? "a bad credential is answered 403" : "a missing scope is answered 401",
            expected: isUnknown ? "401" : "403",
            observed: describeAnswer(exchange),
          }
        : { requirement: "AUTH-026", outcome: "pass", exchanges };
    }
    if (condition === "no-credentials") {
      yield status >= 200 && status < 300
        ? {
            requirement: "SVC-010",
            outcome: "fail",
            exchanges,
            message: "a request without credentials is served",
            expected: "401",
            observed: describeAnswer(exchange),
          }
        : { requirement: "SVC-010", outcome: "pass", exchanges };
    }
  },
};
