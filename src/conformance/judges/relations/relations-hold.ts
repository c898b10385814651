import type { Relation } from "./relation.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { isAnswered } from "../../judging/subjects.ts";
import { billRelations } from "./bill-relations.ts";
import { chatRelations } from "./chat-relations.ts";
import { listRelations } from "./list-relations.ts";
import { usageRelations } from "./usage-relations.ts";
import { vectorRelations } from "./vector-relations.ts";

/** Every relation that is judged over a record. The page docs/relations.md is this table. */
export const allRelations: readonly Relation[] = [
  ...usageRelations,
  ...billRelations,
  ...chatRelations,
  ...vectorRelations,
  ...listRelations,
];

/** Of one relation; a record of load holds the same disagreement thousands of times. */
const mostOfOne = 12;

/** Relations between answers hold over the whole record, whichever case asked. */
export const relationsHold: RunJudge = {
  scope: "run",
  id: "relations-hold",
  covers: [...new Set(allRelations.map(({ requirement }) => requirement))],
  *judge(exchanges): Iterable<Occurrence> {
    const record = exchanges.filter((exchange) => isAnswered(exchange) && exchange.isSuccess && exchange.stage !== "load");
    for (const relation of allRelations) yield* judgeRelation(relation, record);
  },
};

function* judgeRelation(relation: Relation, record: Parameters<Relation["compare"]>[0]): Iterable<Occurrence> {
  const { requirement, says, held, varies, agrees } = relation;
  let passes = 0;
  let failures = 0;
  for (const { holds, exchanges, expected, observed, isProven, isDoubtful } of relation.compare(record)) {
    if (isDoubtful === true) {
      yield { requirement, exchanges, outcome: "inconclusive", asksAgain: true, message: `${says}, too seldom to say why` };
      continue;
    }
    if (holds ? passes >= mostOfOne : failures >= mostOfOne) continue;
    if (holds) passes += 1;
    else failures += 1;
    yield passOrFail({ requirement, exchanges }, holds, () => ({
      kind: says,
      message: `${says}: ${agrees}`,
      expected: `${expected} (compared: ${held}; they may differ in ${varies})`,
      observed,
      conclusive: isProven,
    }));
  }
}
