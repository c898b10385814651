import { createGlancedLists } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isAnswered, isKnownRoute, nameResponse } from "../subjects.ts";

const glanced = createGlancedLists(["SVC-020"]);

/** No success status is stated anywhere: any 2xx will do, 200 is expected (AMB-40); PATCH may answer 204 (AMB-18). */
export const successStatus: ExchangeJudge = {
  scope: "exchange",
  id: "success-status",
  covers: ["SVC-020"],
  concerns: ({ endpoint, status }) => endpoint !== null && status < 300,
  glance(exchange) {
    if (exchange.response?.status !== 200 || exchange.request.method === "PATCH" || !isAnswered(exchange)) return null;
    return glanced(isKnownRoute(exchange) ? 1 : 0);
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isAnswered(exchange) || !isKnownRoute(exchange)) return;
    const { status } = exchange.response;
    if (status < 200 || status >= 300 || exchange.request.method === "PATCH") return;
    yield status === 200
      ? { requirement: "SVC-020", outcome: "pass", exchanges: [exchange.seq] }
      : {
          requirement: "SVC-020",
          outcome: "fail",
          exchanges: [exchange.seq],
          message: `${nameResponse(exchange)}: a success is expected to be 200`,
          expected: "status 200",
          observed: `status ${status}`,
        };
  },
};
