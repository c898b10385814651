import type { ConversationCounts } from "../../core/result/load-result.ts";
import type { HealthSecond } from "../generator/generator-health.ts";
import type { EarlyEnd } from "../samples/early-end.ts";
import type { Overflow } from "../samples/overflow.ts";
import type { LoadRecord } from "../samples/load-record.ts";

/** The measurement of a share; plain data, so that it can come from another thread. */
export interface ShareResult {
  readonly records: readonly LoadRecord[];
  /** The counts of records after these; null: there are none. */
  readonly overflow: Overflow | null;
  /** Requests in flight times milliseconds, by the counts of sends and ends. */
  readonly areaMs: number;
  readonly health: readonly HealthSecond[];
  readonly planned: number;
  readonly retried: number;
  readonly races: { readonly count: number; readonly outOf: number };
  /** How its conversations ended; absent where the profile has none. */
  readonly conversations?: ConversationCounts;
  readonly startMs: number;
  /** Start and end of the measured window on the run clock. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly endMs: number;
  /** Seconds that were sent beyond the length of the profile, because the generator was late in as many; absent: none. */
  readonly repeated?: number;
  /** Rates that a search asked for and that ran to their end. */
  readonly rates: readonly number[];
  /** How long each took; absent in older records. */
  readonly lengthsMs?: readonly number[];
  /** Places of the rates that were tried again because the generator was late; absent: none. */
  readonly replacedSteps?: readonly number[];
  /** Reason of an early end; null when the share ran to its end. */
  readonly stopReason: EarlyEnd | null;
}
