import { isValidRequest } from "../../judging/is-valid-request.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { showAnswer } from "../../judging/show-answer.ts";

/** The answer to a form is JSON nevertheless. */
export const transcriptionIsJson: ExchangeJudge = {
  scope: "exchange",
  id: "transcription-is-json",
  aspect: "body",
  covers: ["AUD-019"],
  concerns: ({ endpoint, status }) => endpoint === "transcriptions" && status < 300,
  judge(exchange, outcomes) {
    const { response, mediaType } = exchange;
    if (!isValidRequest(exchange, "transcriptions") || !exchange.isSuccess || response === null) return;
    const parses = exchange.responseJson !== undefined || response.body?.unread?.malformed === null;
    if (response.body === null || (!parses && exchange.obstacle?.isFault === false)) return;
    outcomes.passOrFail("AUD-019", parses && mediaType === "application/json", () => ({
      outcome: parses && mediaType?.endsWith("+json") === true ? "advisory" : "fail",
      kind: "a transcription is not delivered as JSON",
      expected: "a JSON body with the media type application/json",
      observed: parses ? (mediaType ?? "no media type") : showAnswer(exchange),
    }));
  },
};
