import { describeOvershoot } from "../../core/result/describe-overshoot.ts";
import type { LimitAccount, LimitPolicyResult } from "../../core/result/limits-result.ts";
import { countOf, formatDuration, formatNumber, formatPercent } from "./format-number.ts";

/** `12 answers came from a cache (Age 3 s): left out of policy requests/primary/models`; one for each reason. */
export function leftOutLines(account: readonly LimitAccount[]): readonly string[] {
  return account.flatMap(({ policy, leftOut }) =>
    leftOut.map(({ reason, count }) => `${countOf(count, "answer")} came ${reason}: left out of policy ${policy}`),
  );
}

/** `tokens/lowToken/chat: the fullest window admitted 1,120 tokens ...`; one for each token limit that was reached. */
export function overshootLines(policies: readonly Pick<LimitPolicyResult, "id" | "checks">[]): readonly string[] {
  return policies.flatMap(({ id, checks }) =>
    checks.flatMap(({ verdict, overshoot }) =>
      overshoot === undefined || verdict === "inconclusive" ? [] : [`${id}: ${describeOvershoot(overshoot)}`],
    ),
  );
}

type Value = number | string | boolean;
type Words = Readonly<Record<string, (value: Value) => string | null>>;

const duration = (value: Value): string => formatDuration(Number(value));
const number = (value: Value): string => formatNumber(Number(value));

const toleranceWords: Words = {
  windowMs: (value) => `window ${number(Number(value) / 1000)} s`,
  granularityMs: (value) => `limiter clock in steps of ${duration(value)}`,
  fuzzMs: (value) => `clocks of instances ${duration(value)} apart`,
  clockMs: (value) => `limiter clock within ${duration(value)} of Date`,
  virtualLagMs: (value) => (value === 0 ? null : `virtual clock up to ${duration(value)} behind`),
  driftRatio: (value) => (value === 0 ? null : `drift ${formatPercent(Number(value), 2)}`),
  rateRatio: (value) => (value === 0 ? null : `refill rate ± ${formatPercent(Number(value), 0)}`),
};

const parameterWords: Words = {
  limit: (value) => `limit ${number(value)}`,
  windowSeconds: (value) => `window ${number(value)} s`,
  capacity: (value) => `capacity ${number(value)}`,
  refillPerSecond: (value) => `${number(value)} refilled a second`,
  batchMs: (value) => (value === 0 ? null : `in batches each ${duration(value)}`),
  before: (value) => (value === true ? "remaining does not count the request itself" : "remaining counts the request itself"),
};

/** `window 60 s, clocks of instances 400 ms apart` */
export function describeTolerances(tolerances: Readonly<Record<string, number>>): string {
  return describe(tolerances, toleranceWords);
}

/** `limit 60, window 60 s, remaining counts the request itself` */
export function describeParameters(parameters: Readonly<Record<string, Value>>): string {
  return describe(parameters, parameterWords);
}

/** A name without words of its own stands as it is, so that nothing is left out. */
function describe(values: Readonly<Record<string, Value>>, words: Words): string {
  const parts = Object.entries(values).map(([name, value]) => (words[name] ?? ((plain) => `${name} ${String(plain)}`))(value));
  return parts.filter((part) => part !== null).join(", ");
}
