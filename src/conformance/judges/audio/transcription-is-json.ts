import { isSuccess, isValidRequest, mediaTypeOf, responseJson } from "../../judging/exchange-view.ts";
import { createGlancedLists } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";

const glanced = createGlancedLists(["AUD-019"]);

/** The answer to a form is JSON nevertheless. */
export const transcriptionIsJson: ExchangeJudge = {
  scope: "exchange",
  id: "transcription-is-json",
  covers: ["AUD-019"],
  concerns: ({ endpoint, status }) => endpoint === "transcriptions" && status < 300,
  glance(exchange) {
    const { response } = exchange;
    if (response === null || response.body === null || response.body.truncated) return glanced(0);
    if (!isValidRequest(exchange, "transcriptions") || !isSuccess(exchange)) return glanced(0);
    return mediaTypeOf(response) === "application/json" && responseJson(exchange) !== undefined ? glanced(1) : null;
  },
  *judge(exchange): Iterable<Occurrence> {
    const { response } = exchange;
    if (!isValidRequest(exchange, "transcriptions") || !isSuccess(exchange) || response === null) return;
    if (response.body === null || response.body.truncated) return;
    const mediaType = mediaTypeOf(response);
    const parses = responseJson(exchange) !== undefined;
    const subject = { requirement: "AUD-019", exchanges: [exchange.seq] };
    if (parses && mediaType === "application/json") yield { ...subject, outcome: "pass" };
    else {
      yield {
        ...subject,
        outcome: parses && mediaType?.endsWith("+json") === true ? "advisory" : "fail",
        message: "a transcription is not delivered as JSON",
        expected: "a JSON body with the media type application/json",
        observed: parses ? (mediaType ?? "no media type") : "a body that does not parse",
      };
    }
  },
};
