import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer, isQuotaShape } from "../../judging/exchange-view.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { isNotTheService } from "../not-the-service.ts";
import { burstPurpose, hasPurpose, isKnownRoute } from "../subjects.ts";
import { isStated, statedAnswers, type StatedAnswers } from "./stated-answers.ts";

const requirement = "SVC-023";

/** Requests of one state, each with its repetitions. */
interface State extends StatedAnswers {
  readonly probes: Map<number, [ExchangeFacts, ...ExchangeFacts[]]>;
}

/**
 * Every provoked request comes to one of the ends that its state allows: another status, a server error, a reset, silence and a
 * cut body are none, whatever else is judged of the answer. One such end asks for a repetition; what repeats fails with its count.
 */
export const outcomesAsStated: RunJudge = {
  scope: "run",
  id: "outcomes-as-stated",
  covers: [requirement],
  *judge(exchanges): Iterable<Occurrence> {
    const states = new Map<string, State>();
    for (const exchange of exchanges) {
      const stated = exchange.stage === "conformance" ? statedAnswers(exchange) : null;
      if (stated === null || isNotTheService(exchange)) continue;
      const state = states.get(stated.state) ?? { ...stated, probes: new Map() };
      states.set(stated.state, state);
      const root = exchange.retryOf ?? exchange.seq;
      const known = state.probes.get(root);
      if (known === undefined) state.probes.set(root, [exchange]);
      else known.push(exchange);
    }
    const answered = exchanges.filter((exchange) => exchange.stage === "conformance" && exchange.isSuccess);
    const lastAnswerMs = Math.max(...answered.map(({ timing }) => timing.sentMs), Number.NEGATIVE_INFINITY);
    for (const state of states.values()) yield* judgeState(state, lastAnswerMs);
  },
};

/** Whether this end is none that the state allows. */
function isOdd(exchange: ExchangeFacts, answers: StatedAnswers["answers"]): boolean {
  const { failure, status } = exchange;
  // Beyond a burst limit a service may queue (section "Burst and cooldown"): whether it ends is judged by the limits stage.
  if (failure?.kind === "timeout" && hasPurpose(exchange, burstPurpose)) return false;
  if (failure !== null || status === null) return true;
  // A window may be used up at any time, and its wait is kept.
  return !isStated(status, answers) && (status !== 429 || isQuotaShape(exchange));
}

function* judgeState({ state, answers, probes }: State, lastAnswerMs: number): Iterable<Occurrence> {
  const sent = [...probes.values()].flat();
  const odd = sent.filter((exchange) => isOdd(exchange, answers));
  const isAlwaysOdd = (probe: readonly ExchangeFacts[]): boolean => probe.every((one) => odd.includes(one));
  for (const probe of probes.values()) {
    if (!probe.some((one) => odd.includes(one))) yield { requirement, outcome: "pass", exchanges: probe.map(({ seq }) => seq) };
  }
  if (odd.length === 0) return;
  const shown = [...probes.values()].filter((probe) => probe.some((one) => odd.includes(one)));
  const isRepeated = shown.some((probe) => probe.length > 1);
  const isLasting = shown.some((probe) => probe.length > 1 && isAlwaysOdd(probe)) || 2 * odd.length > sent.length;
  const count = `${odd.length} of ${sent.length}`;
  if (odd.every(({ timing }) => timing.sentMs > lastAnswerMs)) {
    const message = `nothing was answered after "${state}"`;
    yield { requirement, outcome: "inconclusive", exchanges: odd.map(({ seq }) => seq), message };
    return;
  }
  const ends = [...new Set(odd.map(describeAnswer))].sort().join(", ");
  if (isRepeated && !isLasting) {
    const answer = `${count}: ${ends}, and as stated when it was repeated`;
    yield { requirement, outcome: "observed", exchanges: odd.map(({ seq }) => seq), message: state, answer };
    return;
  }
  for (const exchange of odd) {
    yield {
      requirement,
      outcome: isKnownRoute(exchange) ? "fail" : "advisory",
      exchanges: [exchange.seq],
      kind: state,
      ...(isRepeated ? ({ conclusive: true } as const) : {}),
      message: `"${state}" comes to an end that its state does not allow`,
      expected: answers.join(" or "),
      observed: `${count}: ${ends}`,
    };
  }
}
