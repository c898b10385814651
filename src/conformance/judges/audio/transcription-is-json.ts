import { isSuccess, isValidRequest, mediaTypeOf, responseJson } from "../../exchange-view.ts";
import type { ExchangeJudge, Occurrence } from "../../judge.ts";

/** The answer to a form is JSON nevertheless. */
export const transcriptionIsJson: ExchangeJudge = {
  scope: "exchange",
  id: "transcription-is-json",
  covers: ["AUD-019"],
  concerns: ({ endpoint, status }) => endpoint === "transcriptions" && status < 300,
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
