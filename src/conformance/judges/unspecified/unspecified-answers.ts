import { describeAnswer, statusOf, troubleOf } from "../../judging/exchange-view.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";

/** Where the specification is silent the answer of the target is recorded and never failed: the leniency map. */
export const unspecifiedAnswers: ExchangeJudge = {
  scope: "exchange",
  id: "unspecified-answers",
  covers: [],
  boundByIntent: true,
  concerns: ({ intent }) => intent === "probe-unspecified",
  *judge(exchange): Iterable<Occurrence> {
    const { intent } = exchange;
    if (intent.kind !== "probe-unspecified") return;
    const status = statusOf(exchange);
    const subject = { requirement: intent.requirement, exchanges: [exchange.seq] };
    yield status === null || status === 429
      ? { ...subject, outcome: "inconclusive", message: troubleOf(exchange) }
      : { ...subject, outcome: "observed", answer: `${intent.question}: ${describeAnswer(exchange)}` };
  },
};
