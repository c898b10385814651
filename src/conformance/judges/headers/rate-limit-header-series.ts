import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { RateLimitUnit } from "../../../core/exchange/rate-limit-headers.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { isAnswered } from "../subjects.ts";

const backwardsToleranceSeconds = 1;
const units: readonly RateLimitUnit[] = ["requests", "tokens"];

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
    const series = new Map<string, { readonly keyName: string; readonly own: ExchangeFacts[] }>();
    for (const exchange of exchanges.toSorted((one, other) => one.timing.sentMs - other.timing.sentMs)) {
      const { keyName, endpoint } = exchange;
      if (!isAnswered(exchange) || endpoint === null || keyName === null || exchange.response.status === 401) continue;
      const name = `${keyName} ${endpoint}`;
      const known = series.get(name);
      if (known === undefined) series.set(name, { keyName, own: [exchange] });
      else known.own.push(exchange);
    }
    for (const [name, { keyName, own }] of series) {
      if (!changed.has(keyName)) yield* judgeLimits(name, own);
      for (const unit of units) yield* judgeResets(name, own, unit);
    }
  },
};

function changedKeys(
  exchanges: readonly ExchangeFacts[],
  keys: Readonly<Record<string, { readonly id: string | null }>>,
): ReadonlySet<string> {
  // A change whose answer was lost may have been made.
  const patched = exchanges.filter((exchange) => exchange.endpoint === "key-settings");
  return new Set(
    Object.entries(keys)
      .filter(([, { id }]) => id !== null && patched.some((exchange) => exchange.request.path.includes(encodeURIComponent(id))))
      .map(([name]) => name),
  );
}

function* judgeLimits(name: string, exchanges: readonly ExchangeFacts[]): Iterable<Occurrence> {
  for (const unit of units) {
    const seen = new Map<number, number>();
    for (const exchange of exchanges) {
      const { limit } = exchange.rateLimit[unit];
      if (limit !== null && !seen.has(limit)) seen.set(limit, exchange.seq);
    }
    if (seen.size === 0) continue;
    const sequences = [...seen.values()];
    yield seen.size === 1
      ? { requirement: "RATE-012", outcome: "pass", exchanges: sequences }
      : {
          requirement: "RATE-012",
          outcome: "fail",
          exchanges: sequences.slice(0, 5),
          place: name,
          message: `x-ratelimit-limit-${unit} changes during the run although no settings were changed (${name})`,
          expected: "one value for one key and operation",
          observed: [...seen.keys()].slice(0, 8).join(", "),
        };
  }
}

function* judgeResets(name: string, exchanges: readonly ExchangeFacts[], unit: RateLimitUnit): Iterable<Occurrence> {
  let before: { readonly exchange: ExchangeFacts; readonly seconds: number } | null = null;
  for (const exchange of exchanges) {
    const reset = exchange.rateLimit[unit].reset;
    if (reset?.kind !== "instant" || reset.format !== "unix-seconds") continue;
    const seconds = reset.unixMs / 1000;
    if (before !== null && before.exchange.timing.endMs > exchange.timing.sentMs) continue;
    // Where the clock of the target itself moved back, the same window ends earlier on it.
    if (before !== null && exchange.targetNowSeconds >= before.exchange.targetNowSeconds - backwardsToleranceSeconds) {
      const exchangesSeen = [exchange.seq, before.exchange.seq];
      yield seconds >= before.seconds - backwardsToleranceSeconds
        ? { requirement: "RATE-038", outcome: "pass", exchanges: exchangesSeen }
        : {
            requirement: "RATE-038",
            outcome: "fail",
            exchanges: exchangesSeen,
            place: name,
            message: `x-ratelimit-reset-${unit} moves back in time (${name})`,
            expected: `an instant not before ${before.seconds}`,
            observed: String(seconds),
          };
    }
    before = { exchange, seconds };
  }
}
