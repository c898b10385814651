import { asksForStream, mediaTypeOf } from "../../judging/exchange-view.ts";
import { headerValues } from "../../../core/exchange/header-list.ts";
import { createGlancedLists } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isAnswered, isEventStream, nameResponse, weightOf } from "../subjects.ts";

const glanced = createGlancedLists(["SVC-002", "ERR-012"]);

/** JSON announces itself as application/json; a structured suffix is tolerated with an advisory (AMB-27). */
export const mediaType: ExchangeJudge = {
  scope: "exchange",
  id: "media-type",
  covers: ["SVC-002", "ERR-012"],
  concerns: ({ streamed }) => !streamed,
  glance(exchange) {
    const { response } = exchange;
    if (response === null || (response.body?.bytes ?? 0) === 0 || response.status === 204 || !isAnswered(exchange)) return null;
    if (isEventStream(exchange) || (response.status < 300 && asksForStream(exchange))) return null;
    if (mediaTypeOf(response) !== "application/json") return null;
    return glanced(response.status >= 400 ? 0b11 : 0b01);
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isAnswered(exchange) || isEventStream(exchange)) return;
    const { response } = exchange;
    if (response.status === 204 || response.body === null || response.body.bytes === 0) return;
    const type = mediaTypeOf(response);
    // A stream that was asked for and came as something else is judged where streams are.
    if ((type === "text/event-stream" && exchange.endpoint === "chat") || (asksForStream(exchange) && response.status < 300))
      return;
    const tolerated = type?.endsWith("+json") === true || weightOf(exchange) === "advisory";
    for (const requirement of response.status >= 400 ? ["SVC-002", "ERR-012"] : ["SVC-002"]) {
      yield type === "application/json"
        ? { requirement, outcome: "pass", exchanges: [exchange.seq] }
        : {
            requirement,
            outcome: tolerated ? "advisory" : "fail",
            exchanges: [exchange.seq],
            message: `${nameResponse(exchange)} is not announced as application/json`,
            expected: "Content-Type: application/json",
            observed: `Content-Type: ${headerValues(response.headers, "content-type").join(" | ") || "(none)"}`,
          };
    }
  },
};
