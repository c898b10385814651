import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { isUnplannedTrouble, troubleOf } from "../../judging/trouble.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { isEventStream } from "../../judging/subjects.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

const caseId = "stream/unknown-model";
const requirement = "STRM-017";

/** Labels of the requests of `stream/unknown-model`. */
export const refusedAlikeLabels = { plain: "unknown-plain", streamed: "unknown-streamed" } as const;

/** A request that is refused without a stream is refused in the same way with one: by a status and a body, before any event. */
export const refusedAlike: RunJudge = {
  scope: "run",
  id: "refused-alike",
  covers: [requirement],
  *judge(exchanges): Iterable<Occurrence> {
    const own = exchanges.filter((exchange) => exchange.caseId === caseId);
    for (const streamed of own.filter(({ label }) => label === refusedAlikeLabels.streamed)) {
      const plain = own.findLast(({ label, seq }) => label === refusedAlikeLabels.plain && seq < streamed.seq);
      if (plain !== undefined) yield compare(streamed, plain);
    }
  },
};

function compare(streamed: ExchangeFacts, plain: ExchangeFacts): Occurrence {
  const subject = { requirement, exchanges: [streamed.seq, plain.seq] };
  const trouble = [streamed, plain].find(isUnplannedTrouble);
  if (trouble !== undefined) return { ...subject, outcome: "inconclusive", message: troubleOf(trouble) };
  // A service may fall back to another model, for both of them (AMB-06).
  const isAlike = plain.isSuccess === streamed.isSuccess && plain.status === streamed.status && !isEventOfError(streamed);
  const begins = streamed.isSuccess || isEventOfError(streamed);
  return passOrFail(subject, isAlike, () => ({
    outcome: begins && !plain.isSuccess ? "fail" : "advisory",
    kind: begins
      ? "a request that is refused without a stream is answered with one where it asks for it"
      : "a request is answered otherwise where it asks for a stream",
    expected: `${describeAnswer(plain)}, as without a stream`,
    observed: isEventStream(streamed) ? `${describeAnswer(streamed)}, an event stream` : describeAnswer(streamed),
  }));
}

function isEventOfError(exchange: ExchangeFacts): boolean {
  return !exchange.isSuccess && isEventStream(exchange);
}
