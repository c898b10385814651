import { headerValues } from "../../../core/exchange/headers/header-list.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { type Answered, isAnswered, isEventStream, nameResponse, weightOf } from "../../judging/subjects.ts";

/** JSON announces itself as application/json; a structured suffix is tolerated with an advisory (AMB-27). */
export const mediaType: ExchangeJudge = {
  scope: "exchange",
  id: "media-type",
  aspect: "body",
  covers: ["SVC-002", "ERR-012"],
  concerns: ({ streamed }) => !streamed,
  judge(exchange, outcomes) {
    if (!isAnswered(exchange) || isEventStream(exchange)) return;
    const { status, body } = exchange.response;
    if (status === 204 || body === null || body.bytes === 0) return;
    const { mediaType: type } = exchange;
    // A stream that was asked for and came as something else is judged where streams are.
    if (type === "text/event-stream" && exchange.endpoint === "chat") return;
    if (status < 300 && exchange.asksForStream) return;
    report("SVC-002", exchange, outcomes);
    if (status >= 400) report("ERR-012", exchange, outcomes);
  },
};

function report(requirement: string, exchange: Answered, outcomes: Outcomes): void {
  const { mediaType: type } = exchange;
  outcomes.passOrFail(requirement, type === "application/json", () => ({
    outcome: type?.endsWith("+json") === true ? "advisory" : weightOf(exchange),
    place: nameResponse(exchange),
    kind: " is not announced as application/json",
    expected: "Content-Type: application/json",
    observed: `Content-Type: ${headerValues(exchange.response.headers, "content-type").join(" | ") || "(none)"}`,
  }));
}
