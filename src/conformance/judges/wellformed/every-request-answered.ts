import { answerFailure } from "../../../core/exchange/answer-failure.ts";
import { holdsError } from "../../../core/exchange/bodies/stream-end.ts";
import { isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";
import { endpoints } from "../../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { groupAttempts, type Attempts } from "../../../core/exchange/group-attempts.ts";
import { isNoAccident } from "../../../core/exchange/is-no-accident.ts";
import { lastSentMs } from "../../../core/exchange/last-sent-ms.ts";
import { statedAbsenceMs } from "../../../core/exchange/stated-absence.ts";
import { explainTimeOuts } from "../../../core/ends/explain-time-outs.ts";
import { nameUnseen } from "../../../core/name-unseen.ts";
import { isFramingRefusalAmong, isLeftForFraming } from "../../judging/is-framing-refusal.ts";
import { showAnswer } from "../../judging/show-answer.ts";
import { showUnreadable } from "../../judging/show-unreadable.ts";
import { troubleOf } from "../../judging/trouble.ts";
import type { JudgeContext, Occurrence, RunJudge } from "../../judging/judge.ts";
import { isNotTheService } from "../../../core/ends/is-not-the-service.ts";
import { burstPurpose, hasPurpose, isAnswered, isKnownRoute } from "../../judging/subjects.ts";

const requirement = "SVC-021";

/**
 * Every request gets a whole answer, whatever was asked: none is cut, reset or left waiting, and a valid one does not end in a
 * 5xx. A fault that is gone on repetition is recorded with its count; one that repeats is a failure with its count.
 */
export const everyRequestAnswered: RunJudge = {
  scope: "run",
  id: "every-request-answered",
  covers: [requirement],
  conclusive: true,
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    const forms = groupAttempts(
      exchanges.filter((one) => isSubject(one, exchanges)),
      nameForm,
    );
    const lastAnswerMs = lastSentMs(exchanges.filter(({ stage, isSuccess }) => stage === "conformance" && isSuccess));
    const surroundings = { lastAnswerMs, manifest, explain: explainTimeOuts(exchanges, manifest.target) };
    yield* judgeCompany([...forms.values()].flat(), surroundings);
    for (const [form, probes] of forms) yield* judgeForm(form, probes, surroundings);
  },
};

function isSubject(exchange: ExchangeFacts, exchanges: readonly ExchangeFacts[]): boolean {
  const { stage, endpoint, intent, failure } = exchange;
  if (stage !== "conformance" || endpoint === null) return false;
  if (intent.kind === "violates" && (intent.condition === "fault-trigger" || intent.condition === "payment-required"))
    return false;
  // Beyond a burst limit a service may queue (section "Burst and cooldown"): whether it ends is judged by the limits stage.
  if (failure?.kind === "timeout" && hasPurpose({ intent }, burstPurpose)) return false;
  return !isNotTheService(exchange) && !isFramingRefusalAmong(exchange, exchanges) && !isLeftForFraming(exchange, exchanges);
}

/** Streams and whole answers of one operation take different ways through a service. */
function nameForm(exchange: ExchangeFacts): string {
  const { method, path } = exchange.request;
  const name = `${method} ${exchange.endpoint === null ? path : endpoints[exchange.endpoint].path}`;
  return exchange.asksForStream ? `${name} with stream` : name;
}

/** The fault of an answer as an answer, whatever it says; null if it came whole, or nobody knows (`explain`). */
function findTrouble(exchange: ExchangeFacts, { manifest: { exclusive }, explain }: Surroundings): string | null {
  if (explain(exchange) !== null) return null;
  if (exchange.failure !== null || !isAnswered(exchange)) return troubleOf(exchange);
  const status = exchange.status ?? 0;
  // A wrong request that makes the service fail is a matter of its own (SVC-014), and so is what nobody specified. A request
  // that only keeps house need not be valid either: some of them are refused on purpose, or go to a path whose body nobody
  // described.
  const { kind } = exchange.intent;
  const isMeantWell = kind === "valid" || kind === "load" || kind === "limit";
  if (status >= 500 && status !== 501 && isMeantWell) return troubleOf(exchange);
  // The answer of a path that is only named is nowhere described.
  if (isMeantWell && isKnownRoute(exchange) && answerFailure(exchange) === "error") return `an error within the answer ${status}`;
  // Our own pace stays below the limits that the target states, and its wait was kept before each repetition.
  return status === 429 && exclusive && exchange.intent.kind === "valid" && !exchange.isQuotaExceeded
    ? troubleOf(exchange)
    : null;
}

/** A limit or an overload passes by itself, and its wait is kept: neither is an accident. */
function isNoBusyAnswer(exchange: ExchangeFacts): boolean {
  return statedAbsenceMs(exchange) === null && (exchange.failure !== null || ![null, 429, 503].includes(exchange.status));
}

/** In flight with at least so many others, and so many of them in trouble. */
const company = 14;
const companyTroubled = 3;
/** Requests that leave in one go are written within so many milliseconds. */
const togetherMs = 5;
const companyShare = 0.1;

/**
 * Requests that leave together: in trouble more often than the others are. Each of them may be answered when it is repeated
 * alone, and they may be few beside all that were sent one after another.
 */
function* judgeCompany(probes: readonly Attempts[], around: Surroundings): Iterable<Occurrence> {
  const firsts = probes.map(([first]) => first);
  const starts = firsts.map(({ sent }) => sent.earliestMs).sort((one, other) => one - other);
  const ends = firsts.map(({ ended }) => ended.latestMs).sort((one, other) => one - other);
  const withOthers = probes.filter(
    ([
      {
        sent: { earliestMs },
      },
    ]) => {
      return countUpTo(starts, earliestMs + togetherMs) - countUpTo(ends, earliestMs) - 1 >= company;
    },
  );
  const troubled = withOthers.filter(([first]) => findTrouble(first, around) !== null && isNoBusyAnswer(first));
  const isOften = troubled.length >= companyTroubled && troubled.length > companyShare * withOthers.length;
  const alone = probes.filter((probe) => !withOthers.includes(probe));
  const troubledAlone = alone.filter(([first]) => findTrouble(first, around) !== null && isNoBusyAnswer(first)).length;
  // A service that is as often in trouble when nobody else is served is judged by the form.
  if (!isOften || troubledAlone * withOthers.length > 0.5 * troubled.length * alone.length) return;
  const kinds = [...new Set(troubled.map(([first]) => findTrouble(first, around) ?? ""))].sort().join(", ");
  yield {
    requirement,
    outcome: "fail",
    exchanges: troubled.map(([{ seq }]) => seq),
    kind: "requests in flight with 0 others or more are left without a whole answer",
    message: `requests in flight with ${company} others or more are left without a whole answer`,
    expected: "a whole answer to every request, alone or among others",
    observed: `${troubled.length} of ${withOthers.length} (${kinds}), ${troubledAlone} of ${alone.length} otherwise`,
  };
}

/** How many of the sorted instants are not later. */
function countUpTo(sorted: readonly number[], atMs: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Surroundings {
  readonly lastAnswerMs: number;
  readonly manifest: JudgeContext["manifest"];
  /** The cause other than the service for which an answer did not come in time; null: there is none. */
  readonly explain: (exchange: ExchangeFacts) => string | null;
}

function* judgeForm(form: string, probes: readonly Attempts[], around: Surroundings): Iterable<Occurrence> {
  const { lastAnswerMs } = around;
  const isTroubled = (one: ExchangeFacts): boolean => findTrouble(one, around) !== null;
  const troubled = probes.filter((probe) => probe.some(isTroubled));
  const open = probes.filter((probe) => !troubled.includes(probe) && probe.every((one) => around.explain(one) !== null));
  const accidents = troubled.filter((probe) => probe.some((one) => isTroubled(one) && isNoBusyAnswer(one)));
  // An attempt that nobody knows about is none of those that got no answer, so that a second one has to show it.
  const lost = troubled.filter((probe) => probe.filter(isTroubled).length > 1 && probe.every((one) => !isWhole(one, around)));
  for (const probe of probes) {
    if (!troubled.includes(probe) && !open.includes(probe))
      yield { requirement, outcome: "pass", exchanges: probe.map(({ seq }) => seq) };
  }
  yield* open.map((probe) => leaveOpen(form, probe, around));
  const [first] = lost[0] ?? troubled[0] ?? [];
  if (first === undefined) return;
  const shown = (lost.length > 0 ? lost : troubled).flat();
  const subject = { requirement, exchanges: shown.map(({ seq }) => seq) };
  const kinds = [...new Set(shown.map((one) => findTrouble(one, around)).filter((kind) => kind !== null))].sort().join(", ");
  const count = `${troubled.length} of ${probes.length} requests`;
  const isDown = first.sent.earliestMs > lastAnswerMs && lost.length > 0;
  const isPattern = isNoAccident(accidents.length, probes.length);
  if (isDown) {
    yield { ...subject, outcome: "inconclusive", message: `nothing was answered after ${form}: ${kinds}` };
  } else if (lost.length > 0 || isPattern) {
    yield {
      ...subject,
      outcome: "fail",
      kind: `unanswered ${form}`,
      message: `${form} leaves requests without a whole answer (${kinds}): ${count}, ${lost.length} of them each time they were sent`,
      expected: "a whole answer to every request",
      observed: describeAttempts(shown),
    };
  } else {
    yield {
      ...subject,
      outcome: "observed",
      message: `${form} left a request without a whole answer`,
      answer: `${count} to ${form} had no whole answer at first (${kinds})`,
      // One that was sent once alone may be an accident or no accident at all.
      asksAgain: true,
    };
  }
}

function isWhole(exchange: ExchangeFacts, around: Surroundings): boolean {
  return findTrouble(exchange, around) === null && around.explain(exchange) === null;
}

function leaveOpen(form: string, probe: Attempts, { explain }: Surroundings): Occurrence {
  const [first] = probe;
  return {
    requirement,
    outcome: "inconclusive",
    exchanges: probe.map(({ seq }) => seq),
    message: `${form}: no whole answer to #${first.seq}, and this shows nothing about the service: ${explain(first) ?? ""}`,
    asksAgain: true,
  };
}

/** The event in which a stream reports its failure, where that is not the first. */
function showError({ response, eventValues }: ExchangeFacts): string {
  const place = eventValues.findIndex((value) => isJsonObject(value) && holdsError(value));
  const data = place < 1 ? undefined : response?.stream?.events[place]?.data;
  return data === undefined ? "" : `; event ${place + 1}: ${nameUnseen(data.slice(0, 120))}`;
}

function describeAttempts(exchanges: readonly ExchangeFacts[]): string {
  const [first] = exchanges;
  const failure = first?.failure ?? null;
  const words = failure === null ? null : `${nameUnseen(failure.message.slice(0, 120))}${showUnreadable(failure)}`;
  const answer = first?.response == null ? "" : `; the first answer: ${showAnswer(first)}${showError(first)}`;
  return `${exchanges.length} attempts${words === null ? "" : `, first: ${words}`}${answer}`;
}
