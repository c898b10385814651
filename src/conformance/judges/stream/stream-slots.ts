import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { type LabelSeries, labelSeries } from "../../judging/label-series.ts";
import { roundsOf } from "../../judging/rounds-of.ts";
import { isEventStream } from "../../judging/subjects.ts";
import { troubleOf } from "../../judging/trouble.ts";

const caseId = "stream/after-left-streams";
const requirement = "STRM-018";

/** Labels of the case: streams that are left, the tries of another one, and the same request without a stream. */
export const streamSlotLabels: { readonly left: LabelSeries; readonly after: LabelSeries; readonly plain: string } = {
  left: labelSeries("left"),
  after: labelSeries("stream"),
  plain: "plain",
};

/** A key that was given streams gets more of them, however the earlier ones ended. */
export const streamSlots: RunJudge = {
  scope: "run",
  id: "stream-slots",
  covers: [requirement],
  *judge(exchanges): Iterable<Occurrence> {
    const own = exchanges.filter((exchange) => exchange.caseId === caseId);
    const given = exchanges.filter((exchange) => exchange.keyName === "primary" && isGiven(exchange));
    for (const round of roundsOf(own, ({ label }) => label === streamSlotLabels.after.label(1))) {
      const before = given.filter(({ seq }) => seq < round[0].seq);
      if (before.length > 0) yield judgeRound(round, before);
    }
  },
};

/** `before`: the streams that the key was given before. */
function judgeRound(round: readonly [ExchangeFacts, ...ExchangeFacts[]], before: readonly ExchangeFacts[]): Occurrence {
  const tries = round.filter(streamSlotLabels.after.has);
  const [first, last] = [tries[0] ?? round[0], tries.at(-1) ?? round[0]];
  const plain = round.find(({ label }) => label === streamSlotLabels.plain);
  const subject = { requirement, exchanges: [first.seq, last.seq, ...(plain === undefined ? [] : [plain.seq])] };
  if (tries.some(({ isSuccess }) => isSuccess)) return { ...subject, outcome: "pass" };
  // Without a plain answer it is no matter of streams: a limit, or an outage.
  if (plain?.isSuccess !== true) {
    return { ...subject, outcome: "inconclusive", message: `neither a stream nor a plain answer came: ${troubleOf(last)}` };
  }
  // A request that was given up at our own deadline was not refused.
  if ((last.status ?? 0) < 400) {
    return {
      ...subject,
      outcome: "inconclusive",
      message: `no stream was refused, and none came whole: ${describeAnswer(last)}`,
    };
  }
  const left = before.filter(({ failure }) => failure !== null).length;
  const kind = "a key gets no more streams after some that are over";
  return {
    ...subject,
    outcome: "fail",
    kind,
    message: `${kind}: ${before.length} were given before, ${left} of them left by their clients`,
    expected: "a stream, as the same request without one is answered",
    observed: `${describeAnswer(last)} at try ${tries.length}`,
  };
}

/** A stream that came whole, or as far as its client read it. */
function isGiven(exchange: ExchangeFacts): boolean {
  const isLeft = exchange.failure?.kind === "aborted" && (exchange.response?.stream?.events.length ?? 0) > 0;
  return isEventStream(exchange) && (exchange.isSuccess || isLeft);
}
