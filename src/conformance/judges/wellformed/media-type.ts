import { mediaTypeOf } from "../../exchange-view.ts";
import { headerValues } from "../../../core/header-list.ts";
import type { ExchangeJudge, Occurrence } from "../../judge.ts";
import { isAnswered, isEventStream, isKnownRoute, nameResponse } from "../subjects.ts";

/** JSON announces itself as application/json; a structured suffix is tolerated with an advisory (AMB-27). */
export const mediaType: ExchangeJudge = {
  scope: "exchange",
  id: "media-type",
  covers: ["SVC-002", "ERR-012"],
  *judge(exchange): Iterable<Occurrence> {
    if (!isAnswered(exchange) || isEventStream(exchange)) return;
    const { response } = exchange;
    if (response.status === 204 || response.body === null || response.body.bytes === 0) return;
    // A stream that was asked for and came as something else is judged where streams are.
    const requirement = response.status >= 400 ? "ERR-012" : "SVC-002";
    const type = mediaTypeOf(response);
    const subject = { requirement, exchanges: [exchange.seq] };
    if (type === "application/json") yield { ...subject, outcome: "pass" };
    else if (type === "text/event-stream" && exchange.endpoint === "chat") return;
    else {
      const tolerated = type?.endsWith("+json") === true || !isKnownRoute(exchange);
      yield {
        ...subject,
        outcome: tolerated ? "advisory" : "fail",
        message: `${nameResponse(exchange)} is not announced as application/json`,
        expected: "Content-Type: application/json",
        observed: `Content-Type: ${headerValues(response.headers, "content-type").join(" | ") || "(none)"}`,
      };
    }
  },
};
