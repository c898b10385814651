import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { bySending, isOverBefore } from "../../../core/exchange/moments.ts";
import { isDisguisedPhase } from "../../../core/exchange/is-disguised-phase.ts";
import { rateLimitUnits, type RateLimitUnit } from "../../../core/exchange/headers/rate-limit-headers.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { isAnswered } from "../../judging/subjects.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { groupBy } from "../../../core/group-by.ts";

const backwardsToleranceSeconds = 1;

/**
 * The fields over time, for each key and operation: limits stay as they are while nobody changes settings, resets do not
 * move back. Only answers that did not overlap in time are compared, because the order of others is not known.
 */
export const rateLimitHeaderSeries: RunJudge = {
  scope: "run",
  id: "rate-limit-header-series",
  covers: ["RATE-012", "RATE-038"],
  conclusive: true,
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    const changed = changedKeys(exchanges, manifest.keys);
    const known = exchanges.filter(
      (exchange) =>
        isAnswered(exchange) &&
        exchange.endpoint !== null &&
        exchange.keyName !== null &&
        exchange.status !== 401 &&
        !(exchange.intent.kind === "limit" && isDisguisedPhase(exchange.intent.phase)),
    );
    const inOrder = known.toSorted(bySending);
    for (const [name, own] of groupBy(inOrder, ({ keyName, endpoint }) => `${keyName} ${endpoint}`)) {
      if (!changed.has(own[0].keyName)) yield* judgeLimits(name, own);
      for (const unit of rateLimitUnits) yield* judgeResets(name, own, unit);
    }
  },
};

function changedKeys(
  exchanges: readonly ExchangeFacts[],
  keys: Readonly<Record<string, { readonly id: string | null }>>,
): ReadonlySet<string | null> {
  // A change whose answer was lost may have been made.
  const patched = exchanges.filter((exchange) => exchange.endpoint === "key-settings");
  return new Set(
    Object.entries(keys)
      .filter(([, { id }]) => id !== null && patched.some((exchange) => exchange.request.path.includes(encodeURIComponent(id))))
      .map(([name]) => name),
  );
}

function* judgeLimits(name: string, exchanges: readonly ExchangeFacts[]): Iterable<Occurrence> {
  for (const unit of rateLimitUnits) {
    const seen = new Map<number, number>();
    for (const exchange of exchanges) {
      const { limit } = exchange.rateLimit[unit];
      if (limit !== null && !seen.has(limit)) seen.set(limit, exchange.seq);
    }
    if (seen.size === 0) continue;
    const subject = { requirement: "RATE-012", exchanges: [...seen.values()].slice(0, 5) };
    yield passOrFail(subject, seen.size === 1, () => ({
      place: name,
      kind: `x-ratelimit-limit-${unit} changes during the run although no settings were changed ()`,
      around: [`x-ratelimit-limit-${unit} changes during the run although no settings were changed (`, ")"],
      expected: "one value for one key and operation",
      observed: [...seen.keys()].slice(0, 8).join(", "),
    }));
  }
}

function* judgeResets(name: string, exchanges: readonly ExchangeFacts[], unit: RateLimitUnit): Iterable<Occurrence> {
  let before: { readonly exchange: ExchangeFacts; readonly seconds: number } | null = null;
  for (const exchange of exchanges) {
    const reset = exchange.rateLimit[unit].reset;
    if (reset?.kind !== "instant" || reset.format !== "unix-seconds") continue;
    const seconds = reset.unixMs / 1000;
    if (before !== null && !isOverBefore(before.exchange, exchange)) continue;
    // If the clock of the target itself moved back, the same window ends earlier on it.
    if (before !== null && exchange.targetNowSeconds >= before.exchange.targetNowSeconds - backwardsToleranceSeconds) {
      const subject = { requirement: "RATE-038", exchanges: [exchange.seq, before.exchange.seq] };
      const earlier = before.seconds;
      yield passOrFail(subject, seconds >= earlier - backwardsToleranceSeconds, () => ({
        place: name,
        kind: `x-ratelimit-reset-${unit} moves back in time ()`,
        around: [`x-ratelimit-reset-${unit} moves back in time (`, ")"],
        expected: `an instant not before ${earlier}`,
        observed: String(seconds),
      }));
    }
    before = { exchange, seconds };
  }
}
