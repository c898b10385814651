import type { LimitFigures } from "../../core/limit-figures.ts";
import type { Random } from "../../core/random.ts";
import type { InstrumentAccuracy } from "../../core/result/generator-health.ts";
import type { CacheAudit } from "../../core/result/cache-count.ts";
import type { MergedShares } from "../ledger/merge-shares.ts";
import type { LoadProfile } from "../profile/load-profile.ts";

export interface SummaryInput extends MergedShares, InstrumentAccuracy {
  readonly profile: LoadProfile;
  readonly workload: string;
  readonly random: Random;
  /** Absent: nobody asked the same prompts again. */
  readonly cacheAudit?: CacheAudit | null;
  /** Null: no judge of limits watched. */
  readonly limits: LimitFigures | null;
  /** Silences passed on the clock of the target: each jump of it takes its time, which is no lateness of the generator. */
  readonly virtualTime?: boolean;
}
