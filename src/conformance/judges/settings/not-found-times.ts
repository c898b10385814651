import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { between, type Duration } from "../../../core/exchange/instant.ts";
import { momentsOf } from "../../../core/exchange/moments.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { roundsOf } from "../../judging/rounds-of.ts";
import { violates } from "../../judging/subjects.ts";
import { isUnplannedTrouble } from "../../judging/trouble.ts";
import { invalidLabels } from "./not-found-answers.ts";

const caseId = "settings/foreign-key";
const requirement = "KEY-031";

/** Below this nobody measures a difference across a network, and a cache that is cold for one identifier explains it. */
const leastGapMs = 100;
/**
 * Of six identifiers in one pass both foreign ones are by chance the slowest, or the fastest, twice in fifteen times; of the twelve of two passes
 * all four foreign ones twice in 495 times.
 */
const roundsNeeded = 2;

/** Each answer about a foreign identifier takes clearly longer than every one about an unknown identifier, or clearly less. */
export const notFoundTimes: RunJudge = {
  scope: "run",
  id: "not-found-times",
  covers: [requirement],
  *judge(exchanges): Iterable<Occurrence> {
    const own = exchanges.filter((exchange) => exchange.caseId === caseId && !isUnplannedTrouble(exchange));
    const rounds = roundsOf(own, ({ label }) => label === "twin").map(readTimes);
    const [first] = rounds;
    if (first === undefined || rounds.some(({ foreign, unknown }) => foreign.length < 2 || unknown.length < 4)) return;
    const subject = { requirement, exchanges: [first.seq] };
    const gap = gapOf({
      foreign: rounds.flatMap(({ foreign }) => foreign),
      unknown: rounds.flatMap(({ unknown }) => unknown),
    });
    if (Math.abs(gap) < leastGapMs) {
      yield { ...subject, outcome: "pass" };
    } else if (rounds.length < roundsNeeded) {
      yield {
        ...subject,
        outcome: "inconclusive",
        asksAgain: true,
        message: "the times differ, and were seen in one pass alone",
      };
    } else {
      yield {
        ...subject,
        outcome: "fail",
        kind: "the time of an answer distinguishes a foreign identifier from an unknown one",
        expected: "answers in about the same time",
        observed: `each answer about a foreign one ${gap > 0 ? "later" : "earlier"} by ${Math.abs(gap).toFixed(0)} ms or more`,
      };
    }
  },
};

interface Times {
  /** The first request about a foreign identifier. */
  readonly seq: number;
  readonly foreign: readonly Duration[];
  readonly unknown: readonly Duration[];
}

function readTimes(round: readonly ExchangeFacts[]): Times {
  const foreign = round.filter((one) => violates(one, "foreign-id") || one.label === invalidLabels.foreign);
  const unknown = round.filter(
    (one) => violates(one, "unknown-id") || one.label === invalidLabels.unknown || one.label === invalidLabels.unknownToo,
  );
  return { seq: foreign[0]?.seq ?? 0, foreign: foreign.map(durationOf), unknown: unknown.map(durationOf) };
}

function durationOf(exchange: ExchangeFacts): Duration {
  const { sent, ended } = momentsOf(exchange);
  return between(sent, ended);
}

/** Between the two groups of times, without what the lateness of this process explains; 0: they overlap. */
function gapOf({ foreign, unknown }: Pick<Times, "foreign" | "unknown">): number {
  const later = Math.min(...foreign.map(({ leastMs }) => leastMs)) - Math.max(...unknown.map(({ mostMs }) => mostMs));
  const earlier = Math.min(...unknown.map(({ leastMs }) => leastMs)) - Math.max(...foreign.map(({ mostMs }) => mostMs));
  return later > 0 ? later : earlier > 0 ? -earlier : 0;
}
