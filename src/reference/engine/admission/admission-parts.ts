import type { ServiceClock } from "../../clock/service-clock.ts";
import type { BurstGate } from "../burst/burst-gate.ts";
import type { CooldownQueue } from "../burst/cooldown-queue.ts";
import type { EngineSeams } from "../engine-seams.ts";
import type { Journal } from "../journal.ts";
import type { KeyStore } from "../keys/key-store.ts";
import type { RateLimiter } from "../limiter/rate-limiter.ts";
import type { SpendBalance } from "../spend/spend-balance.ts";
import type { UsageStore } from "../usage/usage-store.ts";

/** The parts that a request passes on its way in. */
export interface AdmissionParts {
  readonly clock: ServiceClock;
  readonly seams: EngineSeams;
  readonly keys: KeyStore;
  readonly journal: Journal;
  readonly limiter: RateLimiter;
  readonly gate: BurstGate;
  readonly queue: CooldownQueue;
  readonly ledger: SpendBalance;
  readonly usage: UsageStore;
}
