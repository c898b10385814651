import type { ExchangeJudge } from "../../judging/judge.ts";
import { isAnswered, isKnownRoute, nameResponse } from "../../judging/subjects.ts";

/** No success status is stated anywhere: any 2xx will do, 200 is expected (AMB-40); PATCH may answer 204 (AMB-18). */
export const successStatus: ExchangeJudge = {
  scope: "exchange",
  id: "success-status",
  covers: ["SVC-020"],
  concerns: ({ endpoint, status }) => endpoint !== null && status < 300,
  judge(exchange, outcomes) {
    if (!isAnswered(exchange) || !isKnownRoute(exchange) || exchange.request.method === "PATCH") return;
    const { status } = exchange.response;
    if (status === 200) outcomes.pass("SVC-020");
    else if (status > 200) {
      outcomes.fail("SVC-020", {
        place: nameResponse(exchange),
        kind: ": a success is expected to be 0",
        around: ["", ": a success is expected to be 200"],
        expected: "status 200",
        observed: `status ${status}`,
      });
    }
  },
};
