import { describeAnswer } from "../../judging/describe-answer.ts";
import { troubleOf } from "../../judging/trouble.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";

/** If the specification is silent, the answer of the target is recorded and never failed: the leniency map. */
export const unspecifiedAnswers: ExchangeJudge = {
  scope: "exchange",
  id: "unspecified-answers",
  covers: [],
  boundByIntent: true,
  concerns: ({ intent }) => intent === "probe-unspecified",
  judge(exchange, outcomes) {
    const { intent, status } = exchange;
    if (intent.kind !== "probe-unspecified") return;
    if (status === null || status === 429) outcomes.inconclusive(intent.requirement, troubleOf(exchange));
    else outcomes.observed(intent.requirement, () => `${intent.question}: ${describeAnswer(exchange)}`);
  },
};
