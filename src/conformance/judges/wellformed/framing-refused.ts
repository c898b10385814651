import { describeAnswer } from "../../judging/describe-answer.ts";
import { isChunked, isFramingRefusal } from "../../judging/is-framing-refusal.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";

/**
 * Names a server that lawfully takes no bodies in chunks, and accuses one that has not implemented them. Other refusals are judged by the
 * operation.
 */
export const framingRefused: RunJudge = {
  scope: "run",
  id: "framing-refused",
  covers: ["REQ-006"],
  *judge(exchanges): Iterable<Occurrence> {
    const served = new Set(exchanges.filter(({ isSuccess }) => isSuccess).map(({ endpoint }) => endpoint));
    for (const exchange of exchanges) {
      const subject = { requirement: "REQ-006", exchanges: [exchange.seq] };
      if (isFramingRefusal(exchange)) {
        yield {
          ...subject,
          outcome: "observed",
          answer:
            exchange.status === 411
              ? "a body in chunks is refused: the server demands a length (411), which RFC 9110, section 15.5.12, allows"
              : "a body in chunks is refused: the server answers in HTTP/1.0, which has no chunks",
        };
      } else if (exchange.status === 501 && isChunked(exchange) && served.has(exchange.endpoint)) {
        yield {
          ...subject,
          outcome: "fail",
          kind: "bodies in chunks are not implemented",
          expected: "the answer to the same body with a length, or 411",
          observed: describeAnswer(exchange),
        };
      }
    }
  },
};
