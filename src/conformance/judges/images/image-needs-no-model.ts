import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { isValidRequest } from "../../judging/is-valid-request.ts";
import { isUnplannedTrouble } from "../../judging/trouble.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";

/**
 * A service that insists on a model fails the minimal request under its own name (AMB-31): the specification lists no such
 * member. It shows where the refusal names the model, or where the same request with a model is accepted; where another minimal request was
 * served, the refusal has another cause.
 */
export const imageNeedsNoModel: RunJudge = {
  scope: "run",
  id: "image-needs-no-model",
  covers: ["IMG-001"],
  *judge(exchanges): Iterable<Occurrence> {
    const images = exchanges.filter((exchange) => exchange.endpoint === "images" && exchange.stage === "conformance");
    const withModel = images.find((exchange) => exchange.isSuccess && exchange.requestObject?.["model"] !== undefined);
    const isServed = images.some((exchange) => exchange.isSuccess && isMinimal(exchange));
    for (const exchange of images) {
      if (!isMinimal(exchange)) continue;
      if (exchange.isSuccess) yield { requirement: "IMG-001", outcome: "pass", exchanges: [exchange.seq] };
      if (isServed || isUnplannedTrouble(exchange)) continue;
      const namesModel = /\bmodel\b/i.test(JSON.stringify([exchange.responseObject?.["error"]]));
      if (withModel === undefined && !namesModel) continue;
      yield {
        requirement: "IMG-001",
        outcome: "fail",
        exchanges: [exchange.seq, ...(withModel === undefined ? [] : [withModel.seq])],
        kind: "the service insists on a model, which the specification does not list for images",
        expected: "a 2xx answer to a prompt alone",
        observed: describeAnswer(exchange),
      };
    }
  },
};

function isMinimal(exchange: ExchangeFacts): boolean {
  const body = exchange.requestObject;
  return isValidRequest(exchange, "images") && body !== null && Object.keys(body).length === 1 && "prompt" in body;
}
