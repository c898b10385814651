import { explainTimeOuts } from "../../../core/ends/explain-time-outs.ts";
import { findAbsences } from "../../../core/ends/find-absences.ts";
import { isStated, statedAnswers } from "../../../core/ends/stated-answers.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { groupAttempts } from "../../../core/exchange/group-attempts.ts";
import { judgeEnds, lastAnsweredMs, type StateEnds } from "../../../core/ends/judge-ends.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { mayBeFramingRefusal } from "../../judging/is-framing-refusal.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { isKnownRoute } from "../../judging/subjects.ts";

/**
 * Every provoked request comes to one of the ends that its state allows: another status, a server error, a reset, silence and a
 * cut body are none, whatever else is judged of the answer. One such end asks for a repetition; what repeats fails with its count.
 */
export const outcomesAsStated: RunJudge = {
  scope: "run",
  id: "outcomes-as-stated",
  covers: ["SVC-023", "RATE-045"],
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    const sentBy = (...stages: readonly string[]): typeof exchanges => exchanges.filter(({ stage }) => stages.includes(stage));
    const known = {
      lastAnswerMs: lastAnsweredMs(exchanges),
      explain: explainTimeOuts(exchanges, manifest.target),
      absent: findAbsences(exchanges),
    };
    for (const state of judgeEnds(sentBy("conformance", "setup"), known)) yield* report("SVC-023", state);
    for (const state of judgeEnds(sentBy("limits"), known)) yield* report("RATE-045", state);
    yield* leaveOpen("SVC-023", sentBy("conformance", "setup"), known);
    yield* leaveOpen("RATE-045", sentBy("limits"), known);
  },
};

/** A deadline that says nothing is sent again with its case; where no repetition showed an end, it stays open. */
function* leaveOpen(
  requirement: string,
  exchanges: readonly ExchangeFacts[],
  { explain }: { readonly explain: (exchange: ExchangeFacts) => string | null },
): Iterable<Occurrence> {
  const isOpen = (exchange: ExchangeFacts): boolean => explain(exchange) !== null && !isAwaited(exchange);
  const stateOf = (exchange: ExchangeFacts): string | null => statedAnswers(exchange)?.state ?? null;
  for (const probes of groupAttempts(exchanges, stateOf).values()) {
    for (const probe of probes) {
      if (!probe.every(isOpen)) continue;
      const [first] = probe;
      yield {
        requirement,
        outcome: "inconclusive",
        exchanges: probe.map(({ seq }) => seq),
        message: `#${first.seq} had no end, and this shows nothing about the service: ${explain(first) ?? ""}`,
        asksAgain: true,
      };
    }
  }
}

/** A request that may be held beyond a burst limit, longer than anybody waits here. */
function isAwaited(exchange: ExchangeFacts): boolean {
  const stated = statedAnswers(exchange);
  return stated !== null && isStated(exchange, stated.answers);
}

function* report(requirement: string, { state, purpose, where, answers, probes, odd, verdict }: StateEnds): Iterable<Occurrence> {
  for (const probe of probes) {
    if (!probe.some((one) => odd.has(one))) yield { requirement, outcome: "pass", exchanges: probe.map(({ seq }) => seq) };
  }
  const ends = [...new Set([...odd].map(describeAnswer))].sort().join(", ");
  const count = `${odd.size} of ${probes.flat().length}`;
  const all = [...odd].map(({ seq }) => seq);
  if (verdict === "passing") {
    const answer = `${count}: ${ends}, and as stated otherwise`;
    yield { requirement, outcome: "observed", exchanges: all, message: state, answer };
  } else if (verdict === "gone") {
    yield {
      requirement,
      outcome: "inconclusive",
      exchanges: all,
      message: `nothing was answered after ${where}, sent to ${purpose}`,
    };
  } else if (verdict === "unasked") {
    const message = `${where}, sent to ${purpose}: ${count} (${ends}) named a wait, and nobody asked again after it`;
    yield { requirement, outcome: "inconclusive", exchanges: all, message };
  } else {
    for (const exchange of odd) {
      yield {
        requirement,
        outcome: isKnownRoute(exchange) && !mayBeFramingRefusal(exchange) ? "fail" : "advisory",
        exchanges: [exchange.seq],
        kind: state,
        conclusive: verdict === "wrong",
        message: `${where}, sent to ${purpose}, has another outcome than those that the specification allows`,
        expected: answers.join(" or "),
        observed: `${count}: ${ends}`,
      };
    }
  }
}
