import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import {
  expectsContinue,
  framingOf,
  isChunked,
  isFramingRefusalAmong,
  isLeftForFraming,
  statesFraming,
} from "../../judging/is-framing-refusal.ts";
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
    const left = exchanges.filter((one) => isLeftForFraming(one, exchanges));
    const version = versionOf(exchanges);
    for (const exchange of exchanges) {
      const requirement = isChunked(exchange) ? "REQ-006" : expectsContinue(exchange) ? "REQ-007" : null;
      if (requirement === null) continue;
      if (left.includes(exchange)) {
        const alike = left.filter((one) => framingOf(one) === framingOf(exchange)).length;
        yield judgeSilence(exchange, requirement, { version, alike });
        continue;
      }
      // A request that is wrong in another respect may be refused for that.
      if (exchange.intent.kind !== "valid") continue;
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

/** The version of HTTP that the server names where it was looked for; null: nowhere. */
function versionOf(exchanges: readonly ExchangeFacts[]): "1.0" | "1.1" | null {
  const seen = exchanges.filter((one) => one.response !== null && statesFraming(one));
  if (seen.some(({ response }) => response?.version === "1.0")) return "1.0";
  return seen.length === 0 ? null : "1.1";
}

/** So many are left without an answer, and those with a length answered: no accident. */
const leftNeeded = 2;

interface Silence {
  readonly version: "1.0" | "1.1" | null;
  /** Requests in the same framing that were left without an answer. */
  readonly alike: number;
}

/** A server of HTTP/1.1 reads chunks (RFC 9112, section 7.1) and answers an expectation; one of HTTP/1.0 may wait for a length. */
function judgeSilence({ seq }: ExchangeFacts, requirement: "REQ-006" | "REQ-007", { version, alike }: Silence): Occurrence {
  const what = requirement === "REQ-006" ? "a body in chunks" : "the expectation of 100 Continue";
  const subject = { requirement, exchanges: [seq] };
  if (version === "1.0") {
    const answer = `${what} is left without an answer: the server answers in HTTP/1.0, which has no such thing`;
    return { ...subject, outcome: "observed", answer };
  }
  // A framing that is left like this is not sent again, so that no repetition shows it.
  return {
    ...subject,
    outcome: version === "1.1" && alike >= leftNeeded ? "fail" : "advisory",
    conclusive: true,
    kind: `${what} is left without an answer`,
    expected: "the answer to the same body with a length",
    observed: "no answer in time",
  };
}

function nameRefusal(exchange: ExchangeFacts): string {
  const what = isChunked(exchange) ? "a body in chunks" : "the expectation of 100 Continue";
  if (exchange.response?.version === "1.0") return `${what} is refused: the server answers in HTTP/1.0, which has no such thing`;
  return exchange.status === 411
    ? `${what} is refused: the server demands a length (411), which RFC 9110, section 15.5.12, allows`
    : `${what} is refused (417), as where something on the way supports none (RFC 9110, section 10.1.1)`;
}
