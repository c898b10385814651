import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import type { FamilyId } from "../limiter/limiter-family.ts";

/** Ways to count the allowance over a minute. */
export type AllowanceFamily = Extract<FamilyId, "sliding-log" | "fixed-clock" | "fixed-first" | "token-bucket">;

/** The rules of the gate of bursts: which requests it counts, for which key, and how long it cools down. */
export interface BurstRules {
  readonly family: () => AllowanceFamily;
  /** A request asks; called once before the other questions. */
  readonly arrives: () => void;
  /** Name of the allowance that a request uses. */
  readonly scope: (key: KeyRecord, endpoint: EndpointId) => string;
  /** Name of the count within that allowance that a request adds to; null: none. */
  readonly countedBy: (endpoint: EndpointId) => string | null;
  /** Milliseconds that the allowance is counted over. */
  readonly windowMs: () => number;
  /** Requests of one allowance, null where there is none; `inForce` is the limit of the allowance in use. */
  readonly limit: (key: KeyRecord, inForce: number | null) => number | null;
  readonly cooldownMs: (key: KeyRecord) => number;
  /** Milliseconds of the cooldown that runs for a key, by whichever key it began. */
  readonly runningCooldownMs: (key: KeyRecord) => number;
  /** Which request starts the cooldown: the last that is let in, or the first that is not. */
  readonly startsWith: () => "last-admitted" | "first-refused";
  /** Instant from which a cooldown counts that starts now; the first request of its allowance came at `firstMs`. */
  readonly countsFromMs: (key: KeyRecord, firstMs: number | null, nowMs: number) => number;
  /** The same for a cooldown that runs and meets one more request. */
  readonly countsOnFromMs: (sinceMs: number, nowMs: number) => number;
  /** Whether the allowance is whole again after this cooldown. */
  readonly restores: (scope: string, limit: number) => boolean;
  /** Whether an allowance is enforced at all. */
  readonly enforces: (scope: string, limit: number) => boolean;
  /** The wait that Retry-After is computed from. */
  readonly shownWaitMs: (waitMs: number, cooldownMs: number) => number;
}

export const lawfulBurstRules: BurstRules = {
  family: () => "sliding-log",
  arrives: () => undefined,
  scope: (key) => key.id,
  countedBy: () => "all",
  windowMs: () => 60_000,
  limit: (key) => key.settings.burst_limit,
  cooldownMs: (key) => (key.settings.cooldown_seconds ?? 0) * 1000,
  runningCooldownMs: (key) => (key.settings.cooldown_seconds ?? 0) * 1000,
  startsWith: () => "last-admitted",
  countsFromMs: (_key, _firstMs, nowMs) => nowMs,
  countsOnFromMs: (sinceMs) => sinceMs,
  restores: () => true,
  enforces: () => true,
  shownWaitMs: (waitMs) => waitMs,
};
