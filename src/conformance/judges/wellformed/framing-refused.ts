import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { expectsContinue, isChunked, isFramingRefusalAmong } from "../../judging/is-framing-refusal.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";

/**
 * Names a server that lawfully takes no bodies in chunks, or no expectations, and accuses one that has not implemented chunks. Other
 * refusals are judged by the operation.
 */
export const framingRefused: RunJudge = {
  scope: "run",
  id: "framing-refused",
  covers: ["REQ-006", "REQ-007"],
  *judge(exchanges): Iterable<Occurrence> {
    const served = new Set(exchanges.filter(({ isSuccess }) => isSuccess).map(({ endpoint }) => endpoint));
    for (const exchange of exchanges) {
      const requirement = isChunked(exchange) ? "REQ-006" : expectsContinue(exchange) ? "REQ-007" : null;
      // A request that is wrong in another respect may be refused for that.
      if (requirement === null || exchange.intent.kind !== "valid") continue;
      const subject = { requirement, exchanges: [exchange.seq] };
      if (isFramingRefusalAmong(exchange, exchanges)) {
        yield { ...subject, outcome: "observed", answer: nameRefusal(exchange) };
      } else if (exchange.status === 501 && served.has(exchange.endpoint)) {
        yield {
          ...subject,
          outcome: "fail",
          kind: requirement === "REQ-006" ? "bodies in chunks are not implemented" : "expectations are not implemented",
          expected: `the answer to the same body with a length, or ${requirement === "REQ-006" ? 411 : 417}`,
          observed: describeAnswer(exchange),
        };
      }
    }
  },
};

function nameRefusal(exchange: ExchangeFacts): string {
  const what = isChunked(exchange) ? "a body in chunks" : "the expectation of 100 Continue";
  if (exchange.response?.version === "1.0") return `${what} is refused: the server answers in HTTP/1.0, which has no such thing`;
  return exchange.status === 411
    ? `${what} is refused: the server demands a length (411), which RFC 9110, section 15.5.12, allows`
    : `${what} is refused (417), as where something on the way supports none (RFC 9110, section 10.1.1)`;
}
