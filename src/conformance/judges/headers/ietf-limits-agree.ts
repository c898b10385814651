import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { rateLimitUnits, type RateLimitUnit } from "../../../core/exchange/headers/rate-limit-headers.ts";
import { bySending, isOverBefore } from "../../../core/exchange/moments.ts";
import { declaredWindowSeconds } from "../../../core/declared-window.ts";
import { groupBy } from "../../../core/group-by.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { isAnswered, weightOfHeaders } from "../../judging/subjects.ts";
import { type IetfQuota, readIetfLimits } from "./read-ietf-limits.ts";

const requirement = "RATE-043";
/** One of the two may be read before the request is counted, and one after it. */
const ownRequest = 1;
/** Both are whole seconds, and one is counted from a clock of whole seconds. */
const secondsApart = 2;
/** A single answer may have met a change of settings. */
const answersNeeded = 2;

/**
 * An answer that states one allowance twice, in the six fields and in those of the IETF, states the same in both. Compared are quotas
 * of the same unit, limit and window only: a day beside a minute, or an address beside a key, are other allowances. A gateway may grant
 * to a consumer as much as the service behind it to a key, so that equal sizes prove no single allowance: nothing here fails.
 */
export const ietfLimitsAgree: RunJudge = {
  scope: "run",
  id: "ietf-limits-agree",
  covers: [requirement],
  conclusive: true,
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    const windowSeconds = declaredWindowSeconds(manifest);
    const known = exchanges.filter(
      (exchange) => isAnswered(exchange) && !exchange.isCached && weightOfHeaders(exchange) === "fail",
    );
    for (const [name, own] of groupBy(known.toSorted(bySending), ({ keyName, endpoint }) => `${keyName} ${endpoint}`)) {
      const place = name;
      yield* judgeForm(place, own);
      for (const unit of rateLimitUnits) {
        const pairs = own.flatMap((exchange) => pairOf(exchange, unit, windowSeconds) ?? []);
        if (unit === "requests" || own[0].request.method === "GET") yield* judgeRemaining(place, unit, pairs, own);
        yield* judgeReset(place, unit, pairs);
      }
    }
  },
};

/** One answer that states one allowance twice. */
interface Pair {
  readonly exchange: ExchangeFacts;
  /** More than one: policies that cannot be distinguished, of which one has to agree. */
  readonly quotas: readonly IetfQuota[];
}

function pairOf(exchange: ExchangeFacts, unit: RateLimitUnit, windowSeconds: number): Pair | null {
  const { [unit]: stated, problems } = exchange.rateLimit;
  // A number that was found under a name of the draft would be compared with itself.
  if (stated.limit === null || problems.some((problem) => problem.unit === unit && problem.foundAs !== undefined)) return null;
  const quotas = (readIetfLimits(exchange.response?.headers ?? [])?.quotas ?? []).filter(
    (quota) => quota.unit === unit && quota.limit === stated.limit && isOfWindow(quota, windowSeconds),
  );
  return quotas.length === 0 ? null : { exchange, quotas };
}

/** A window that is not stated is taken for ours if it ends within it. */
function isOfWindow(quota: IetfQuota, windowSeconds: number): boolean {
  if (quota.windowSeconds !== null) return quota.windowSeconds === windowSeconds;
  return quota.resetSeconds !== null && quota.resetSeconds <= windowSeconds;
}

function* judgeRemaining(
  place: string,
  unit: RateLimitUnit,
  pairs: readonly Pair[],
  own: readonly ExchangeFacts[],
): Iterable<Occurrence> {
  const compared = pairs.filter(
    ({ exchange, quotas }) => exchange.rateLimit[unit].remaining !== null && quotas.every(({ remaining }) => remaining !== null),
  );
  if (compared.length === 0) return;
  const apart = compared.filter((pair) => {
    const difference = leastDifference(pair, unit) - ownRequest;
    return difference > 0 && difference > beside(pair.exchange, own);
  });
  const cited = (apart.length === 0 ? compared : apart).slice(0, 5);
  const subject = { requirement, exchanges: cited.map(({ exchange }) => exchange.seq) };
  if (apart.length < answersNeeded) {
    yield { ...subject, outcome: "pass" };
    return;
  }
  yield {
    ...subject,
    outcome: "advisory",
    place,
    kind: `x-ratelimit-remaining-${unit} and the RateLimit fields of one answer differ ()`,
    around: [`x-ratelimit-remaining-${unit} and the RateLimit fields of one answer differ (`, ")"],
    expected: "the same number in both, if they are of one allowance",
    observed: cited.map(({ exchange, quotas }) => `${exchange.rateLimit[unit].remaining} and ${quotas[0]?.remaining}`).join("; "),
  };
}

function leastDifference({ exchange, quotas }: Pair, unit: RateLimitUnit): number {
  const stated = exchange.rateLimit[unit].remaining ?? 0;
  return Math.min(...quotas.map(({ remaining }) => Math.abs(stated - (remaining ?? 0))));
}

/** Requests that one of the two numbers may hold and the other not: those that overlap with this one. */
function beside(exchange: ExchangeFacts, own: readonly ExchangeFacts[]): number {
  return own.filter((other) => other !== exchange && !isOverBefore(other, exchange) && !isOverBefore(exchange, other)).length;
}

function* judgeReset(place: string, unit: RateLimitUnit, pairs: readonly Pair[]): Iterable<Occurrence> {
  const apart = pairs.flatMap(({ exchange, quotas }) => {
    const { reset } = exchange.rateLimit[unit];
    const stated = quotas.flatMap(({ resetSeconds }) => resetSeconds ?? []);
    if (reset?.kind !== "instant" || stated.length === 0) return [];
    // How exact Date is, is not stated: a wait that fits the clock of this machine fits.
    const waits = [exchange.targetNowSeconds, exchange.received.latestMs / 1000].map((now) => reset.unixMs / 1000 - now);
    const fits = stated.some((seconds) => waits.some((wait) => Math.abs(wait - seconds) <= secondsApart + exchange.headSeconds));
    return fits ? [] : [{ exchange, words: `${Math.round(waits[0] ?? 0)} s and ${stated[0]} s from now` }];
  });
  if (apart.length < answersNeeded) return;
  const cited = apart.slice(0, 5);
  // A bucket has several instants that may be called its reset, so that two fields may mean two of them.
  yield {
    requirement,
    outcome: "advisory",
    exchanges: cited.map(({ exchange }) => exchange.seq),
    place,
    kind: `x-ratelimit-reset-${unit} and the RateLimit fields of one answer name two instants ()`,
    around: [`x-ratelimit-reset-${unit} and the RateLimit fields of one answer name two instants (`, ")"],
    expected: "the same reset in both, of one limit and window",
    observed: cited.map(({ words }) => words).join("; "),
  };
}

function* judgeForm(place: string, own: readonly ExchangeFacts[]): Iterable<Occurrence> {
  const wrong = own.flatMap((exchange) => {
    const malformed = readIetfLimits(exchange.response?.headers ?? [])?.malformed ?? null;
    return malformed === null ? [] : [{ seq: exchange.seq, malformed }];
  });
  const [first] = wrong;
  if (first === undefined) return;
  yield {
    requirement,
    outcome: "advisory",
    exchanges: wrong.slice(0, 5).map(({ seq }) => seq),
    place,
    kind: `the field ${first.malformed} is no structured field ()`,
    around: [`the field ${first.malformed} is no structured field (RFC 9651), as the drafts of the IETF have it (`, ")"],
    expected: "a list or a dictionary",
    observed: "text that cannot be parsed",
  };
}
