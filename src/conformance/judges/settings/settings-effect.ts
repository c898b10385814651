import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { between } from "../../../core/exchange/instant.ts";
import { leastWaitMs, momentsOf } from "../../../core/exchange/moments.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { troubleOf } from "../../judging/trouble.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { announcedWaitMs } from "../limits/announced-wait.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { effectLabels, effectSeries, refusedType } from "./effect-labels.ts";
import { roundsOf } from "../../judging/rounds-of.ts";

/** A burst limit counts requests per minute. */
const minuteMs = 60_000;
/** Of a wait in seconds, and of the clock that it is counted on. */
const roundingMs = 5000;

/** One try of a case that lowers a burst limit and exceeds it. */
interface BurstTry {
  readonly change: ExchangeFacts;
  /** Requests of the changed key, in order. */
  readonly requests: readonly ExchangeFacts[];
  /** The same number of requests of another key. */
  readonly others: readonly ExchangeFacts[];
  readonly limit: number;
  readonly cooldownMs: number;
}

/** A burst limit that was set is enforced, on that key only, and survives a change of another member. */
export const settingsEffect: RunJudge = {
  scope: "run",
  id: "settings-effect",
  covers: ["KEY-012", "KEY-013", "KEY-014", "KEY-015", "KEY-029", "KEY-030", "RATE-044"],
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    let enforced: ExchangeFacts | null = null;
    for (const one of burstTries(exchanges, "settings/takes-effect")) {
      enforced ??= firstHeld(one);
      yield judgeEffect(one, "KEY-012");
      yield* judgeDelay(one);
      yield* judgeAnnouncedWait(one, manifest.restore.keys["examSettings"]?.cooldown_seconds ?? 0);
    }
    for (const one of burstTries(exchanges, "settings/leaves-other-keys")) {
      const { burst_limit: own = 0 } = manifest.restore.keys["secondary"] ?? {};
      yield* judgeOtherKey(one, (refusal) => own === null || usedInMinute(exchanges, refusal) < own);
    }
    for (const caseId of ["settings/keeps-other-members", "settings/changes-at-once"]) {
      for (const one of burstTries(exchanges, caseId)) yield judgeKept(one, "KEY-014", enforced);
    }
    for (const one of burstTries(exchanges, "settings/after-another-key")) yield judgeKept(one, "KEY-030", enforced);
    yield* judgeRefusedChanges(exchanges, manifest.restore.keys["examSettings"]?.burst_limit ?? null);
  },
};

function* burstTries(exchanges: readonly ExchangeFacts[], caseId: string): Iterable<BurstTry> {
  const own = exchanges.filter((exchange) => exchange.caseId === caseId);
  for (const [change, ...after] of roundsOf(own, ({ label }) => label === effectLabels.setBurst)) {
    const last = after.findLast(setsCooldown) ?? change;
    const limit = change.requestObject?.["burst_limit"];
    const cooldown = last.requestObject?.["cooldown_seconds"];
    if (after.some(({ label, isSuccess }) => label === effectLabels.setOther && !isSuccess)) continue;
    if (typeof limit !== "number" || typeof cooldown !== "number" || !change.isSuccess || !last.isSuccess) continue;
    const requests = after.filter(effectSeries.exceed.has);
    const others = after.filter(effectSeries.otherKey.has);
    if (requests.length > 0) yield { change, requests, others, limit, cooldownMs: cooldown * 1000 };
  }
}

function setsCooldown(exchange: ExchangeFacts): boolean {
  return exchange.label === effectLabels.setCooldown || effectSeries.setCooldown.has(exchange);
}

/** The first request that was refused for the burst, or that had to wait for most of the cooldown (AMB-15). */
function firstHeld({ requests, cooldownMs }: BurstTry): ExchangeFacts | null {
  return requests.find((exchange) => isBurstRefusal(exchange) || wasQueued(exchange, cooldownMs)) ?? null;
}

function isBurstRefusal(exchange: ExchangeFacts): boolean {
  const cause = exchange.rejectCause;
  return exchange.status === 429 && cause !== "requests" && cause !== "spend";
}

function wasQueued(exchange: ExchangeFacts, cooldownMs: number): boolean {
  return leastWaitMs(exchange) >= 0.8 * cooldownMs;
}

/** Whether more requests than the limit were sent within a minute: our own pace may have been slower than the limit. */
function exceedsInMinute({ requests, limit }: BurstTry): boolean {
  return requests.some((exchange, index) => {
    const beyond = requests[index + limit];
    return beyond !== undefined && between(momentsOf(exchange).sent, momentsOf(beyond).sent).mostMs < minuteMs;
  });
}

function judgeEffect(one: BurstTry, requirement: "KEY-012" | "KEY-014" | "KEY-030"): Occurrence {
  const held = firstHeld(one);
  const subject = { requirement, exchanges: [one.change.seq, (held ?? one.requests.at(-1) ?? one.change).seq] };
  if (held !== null) return { ...subject, outcome: "pass" };
  const beyond = one.requests.filter((exchange, index) => index >= one.limit && !exchange.isSuccess);
  const other = beyond.filter((exchange) => exchange.response !== null && exchange.status !== 429);
  const [odd] = other;
  if (odd !== undefined && one.requests.slice(0, one.limit).every((exchange) => exchange.isSuccess)) {
    return {
      ...subject,
      outcome: "fail",
      kind: "beyond its burst limit the key is answered 0 instead of 0",
      message: `beyond its burst limit the key is answered ${odd.status} instead of 429`,
      expected: `429 or a wait after ${one.limit} requests`,
      observed: `${other.length} of ${beyond.length}: ${describeAnswer(odd)}`,
    };
  }
  const trouble = one.requests.find((exchange) => !exchange.isSuccess);
  if (trouble !== undefined)
    return { ...subject, outcome: "inconclusive", message: `the requests of the key were ${troubleOf(trouble)}` };
  if (one.requests.length > one.limit && !exceedsInMinute(one)) {
    const message = `the requests of the key were spread too far: never more than ${one.limit} within a minute`;
    return { ...subject, outcome: "inconclusive", message };
  }
  return {
    ...subject,
    outcome: "fail",
    kind:
      requirement === "KEY-012"
        ? "a burst limit was accepted but is not enforced"
        : one.change.caseId === "settings/changes-at-once"
          ? "a burst limit is lost that was set while other changes were made"
          : one.change.caseId === "settings/after-another-key"
            ? "a burst limit is no longer enforced after the settings of another key were changed"
            : "a burst limit is no longer enforced after a change of the cooldown alone",
    expected: `a refusal or a wait after ${one.limit} requests`,
    observed: `${one.requests.length} requests, all served at once`,
  };
}

/** A limit can be lost only where one is enforced: `enforced` is held by a limit that was set while nothing else was changed. */
function judgeKept(one: BurstTry, requirement: "KEY-014" | "KEY-030", enforced: ExchangeFacts | null): Occurrence {
  const { exchanges, ...judged } = judgeEffect(one, requirement);
  if (enforced !== null) return { ...judged, exchanges: [...exchanges, enforced.seq] };
  if (judged.outcome !== "fail") return { ...judged, exchanges };
  const message = "no burst limit that was set showed, also without any other change";
  return { requirement, exchanges, outcome: "inconclusive", message };
}

/**
 * A change that was answered with a refusal is not carried out: the key is served as before. `declared`: its own burst limit, which may
 * hold it back as well.
 */
function* judgeRefusedChanges(exchanges: readonly ExchangeFacts[], declared: number | null): Iterable<Occurrence> {
  const own = exchanges.filter(({ caseId }) => caseId === "settings/refused-changes");
  for (const round of roundsOf(own, ({ label }) => label === refusedType)) {
    const [start] = round;
    const changes = round.filter(effectSeries.refused.has);
    // A service that converts a wrong type has accepted the change and may carry it out.
    if (!changes.every(({ status }) => status !== null && status >= 400 && status < 500)) continue;
    const after = round.filter(effectSeries.after.has);
    const again = round.filter(effectSeries.again.has);
    const first = after.find(isBurstRefusal) ?? null;
    const second = again.find(isBurstRefusal) ?? null;
    // A limit that is in force refuses again when its cooldown is over; a refusal that stays the only one has another cause.
    const held = again.length > 0 && again.every((exchange) => exchange.isSuccess) ? null : (second ?? first);
    const subject = { requirement: "KEY-029", exchanges: [...changes, held ?? after.at(-1) ?? start].map(({ seq }) => seq) };
    const served = after.findIndex((exchange) => !exchange.isSuccess);
    if (isBeyond(changes, served === -1 ? after.length : served)) {
      yield { ...subject, outcome: "pass" };
    } else if (held !== null && declared !== null && declared <= after.length) {
      const message = `the key was held back after ${served} requests, which its declared burst limit of ${declared} may have done`;
      yield { ...subject, outcome: "inconclusive", message };
    } else if (held !== null) {
      yield {
        ...subject,
        outcome: "fail",
        kind: "a change of settings that was refused is carried out",
        expected: `${after.length} answers with 2xx, as before`,
        observed: describeAnswer(held),
      };
    } else if (after.length > 0 && after.every((exchange) => exchange.isSuccess || exchange === first)) {
      yield { ...subject, outcome: "pass" };
    }
  }
}

/** More requests in a row were served than the limit that was refused would let through. */
function isBeyond(changes: readonly ExchangeFacts[], served: number): boolean {
  const limits = changes.map(({ requestObject }) => requestObject?.["burst_limit"]).filter((limit) => typeof limit === "number");
  return limits.length > 0 && served > Math.max(...limits);
}

/** Longer than the cooldown is only what the minute of the allowance still takes (AMB-12, AMB-14). */
function* judgeAnnouncedWait(one: BurstTry, declaredSeconds: number): Iterable<Occurrence> {
  const held = firstHeld(one);
  const waitMs = held === null ? null : announcedWaitMs(held, "shortest");
  if (held === null || waitMs === null) return;
  // The former setting may still hold for a moment.
  const mostMs = Math.max(one.cooldownMs, declaredSeconds * 1000) + minuteMs + roundingMs;
  const subject = { requirement: "RATE-044", exchanges: [one.change.seq, held.seq] };
  yield passOrFail(subject, waitMs <= mostMs, () => ({
    kind: "the wait that a refusal in the cooldown announces goes far beyond the cooldown that was set",
    expected: `at most the ${one.cooldownMs / 1000} seconds of the cooldown, or the rest of a minute`,
    observed: `${waitMs / 1000} seconds`,
  }));
}

function* judgeDelay(one: BurstTry): Iterable<Occurrence> {
  const held = firstHeld(one);
  if (held === null) return;
  const servedMore = one.requests.indexOf(held) > one.limit;
  const seconds = Math.round(between(momentsOf(one.change).ended, momentsOf(held).sent).mostMs / 1000);
  yield {
    requirement: "KEY-015",
    outcome: "observed",
    exchanges: [one.change.seq, held.seq],
    message: "time until a changed burst limit showed",
    answer: servedMore ? "not at once" : "at once",
    observed: `at most ${seconds} s`,
  };
}

/** Requests of the same key in the minute before, in which a limit of its own may have counted them. */
function usedInMinute(exchanges: readonly ExchangeFacts[], refusal: ExchangeFacts): number {
  const { sent } = momentsOf(refusal);
  return exchanges.filter(
    (one) => one.seq < refusal.seq && one.keyName === refusal.keyName && between(momentsOf(one).ended, sent).leastMs < minuteMs,
  ).length;
}

/** `isWithin`: the limit of the other key itself is declared, and would have let this request through. */
function* judgeOtherKey(one: BurstTry, isWithin: (refusal: ExchangeFacts) => boolean): Iterable<Occurrence> {
  const { others, limit, cooldownMs } = one;
  const held = firstHeld(one);
  if (held === null || others.length <= limit) return;
  const wrong = others.find((exchange) => isBurstRefusal(exchange) || wasQueued(exchange, cooldownMs));
  const trouble = others.find((exchange) => !exchange.isSuccess);
  const subject = { requirement: "KEY-013", exchanges: [one.change.seq, (wrong ?? others.at(-1) ?? held).seq, held.seq] };
  if (wrong !== undefined && !isWithin(wrong)) {
    const message = "the other key was held back, which a burst limit of its own may have done";
    yield { ...subject, outcome: "inconclusive", message };
  } else if (wrong !== undefined) {
    yield {
      ...subject,
      outcome: "fail",
      kind: "a burst limit that was set on one key holds back another key as well",
      expected: `${others.length} answers with 2xx to the other key`,
      observed: describeAnswer(wrong),
    };
  } else if (trouble !== undefined) {
    yield { ...subject, outcome: "inconclusive", message: `the other key was ${troubleOf(trouble)}` };
  } else yield { ...subject, outcome: "pass" };
}
