import type { ExchangeFacts } from "../exchange/exchange-facts.ts";
import { groupAttempts, type Attempts } from "../exchange/group-attempts.ts";
import { isNoAccident } from "../exchange/is-no-accident.ts";
import { isNotTheService } from "./is-not-the-service.ts";
import { lastSentMs } from "../exchange/last-sent-ms.ts";
import { statedAbsenceMs } from "../exchange/stated-absence.ts";
import { isStated, statedAnswers, type StatedAnswers } from "./stated-answers.ts";

/** All requests of one state, and those that came to an end which it does not allow. */
export interface StateEnds extends StatedAnswers {
  readonly probes: readonly Attempts[];
  readonly odd: ReadonlySet<ExchangeFacts>;
  /**
   * `as-stated`: all of them. `wrong`: what is odd is repeated, or is most of it, or too much for an accident. `once`: one was odd and
   * was not sent again. `passing`: repetitions did not show it. `gone`: nothing was answered afterwards. `unasked`: of a schedule, and each
   * named a wait after which nobody asked again.
   */
  readonly verdict: "as-stated" | "wrong" | "once" | "passing" | "gone" | "unasked";
}

/** Facts of the record as a whole. */
export interface EndsRecord {
  /** When the last request was sent that was answered; what comes after it says nothing, because the target may be gone. */
  readonly lastAnswerMs: number;
  /** Why a deadline that passed, or a cut, says nothing about the service, null where it does (`explainTimeOuts`). */
  readonly explain: (exchange: ExchangeFacts) => string | null;
  /** Answers of a service that was away for everybody (`findAbsences`). */
  readonly absent: ReadonlySet<number>;
}

/** Accounts for every request whose sender knows what may come of it, state by state. */
export function judgeEnds(exchanges: readonly ExchangeFacts[], record: EndsRecord): readonly StateEnds[] {
  const { explain } = record;
  const nameOf = (exchange: ExchangeFacts): string | null => {
    const own = isNotTheService(exchange) ? null : statedAnswers(exchange);
    // An end that says nothing is no odd one; where it may be held for longer than anybody waits, it is none of them either.
    return own === null || (explain(exchange) !== null && !isStated(exchange, own.answers)) ? null : own.state;
  };
  return [...groupAttempts(exchanges, nameOf).values()].map((probes) =>
    judgeState(statedAnswers(probes[0]![0])!, probes, record),
  );
}

function judgeState(stated: StatedAnswers, probes: StateEnds["probes"], { lastAnswerMs, absent }: EndsRecord): StateEnds {
  const { answers } = stated;
  const sent = probes.flat();
  const isOdd = (one: ExchangeFacts, probe: Attempts): boolean =>
    !isStated(one, answers) && !absent.has(one.seq) && !wasKept(one, probe, answers);
  const odd = new Set(probes.flatMap((probe) => probe.filter((one) => isOdd(one, probe))));
  const unasked = new Set(probes.filter(isUnasked).flat());
  const firm = [...odd].filter((one) => !unasked.has(one));
  const isRepeated = probes.some((probe) => probe.length > 1 && probe.some((one) => odd.has(one)));
  const isLasting = probes.some((probe) => probe.length > 1 && !isUnasked(probe) && probe.every((one) => odd.has(one)));
  const isMost = firm.length > 1 && 2 * firm.length > sent.length;
  const isOften = isNoAccident(firm.length, sent.length);
  // Requests of a schedule are each other's repetitions; those of a case are repeated with the case.
  const isProven = isRepeated || probes[0]?.[0]?.stage === "limits";
  const head = { ...stated, probes, odd };
  if (odd.size === 0) return { ...head, verdict: "as-stated" };
  if ([...odd].every(({ sent }) => sent.earliestMs > lastAnswerMs)) return { ...head, verdict: "gone" };
  if (isProven && (isLasting || isMost || isOften)) return { ...head, verdict: "wrong" };
  if (unasked.size > 1 && [...unasked].some((one) => odd.has(one))) return { ...head, verdict: "unasked" };
  if (isRepeated || (isProven && 2 * odd.size <= sent.length)) return { ...head, verdict: "passing" };
  return { ...head, verdict: "once" };
}

/** Schedules do not wait in the middle of what they show: a 5xx that names a wait says nothing where nobody came back after it. */
function isUnasked(probe: Attempts): boolean {
  if (probe[0].stage !== "limits") return false;
  return probe.every((one, index) => {
    const waitMs = statedAbsenceMs(one);
    const next = probe[index + 1];
    return waitMs !== null && (next === undefined || next.sent.latestMs - one.ended.earliestMs < waitMs);
  });
}

/** A service that was away said how long, and the same request came to a stated end when that was over. */
function wasKept(one: ExchangeFacts, probe: StateEnds["probes"][number], answers: StatedAnswers["answers"]): boolean {
  const last = probe.at(-1);
  return statedAbsenceMs(one) !== null && last !== undefined && isStated(last, answers);
}

/**
 * When the last request was sent that was answered, in any stage. A refusal is a sign of life as well; a 5xx may come from a
 * gateway.
 */
export function lastAnsweredMs(exchanges: readonly ExchangeFacts[]): number {
  return lastSentMs(exchanges.filter(({ failure, status }) => failure === null && (status ?? 500) < 500));
}
