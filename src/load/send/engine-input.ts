import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Hold } from "./hold.ts";
import type { RecordWatch } from "../samples/early-end.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { LoadSender } from "./load-sender.ts";
import type { RecordStore } from "../samples/record-store.ts";
import type { SecondSeries } from "../generator/second-series.ts";
import type { Workload } from "../workload/workload.ts";

export interface EngineInput {
  readonly profile: LoadProfile;
  readonly sender: LoadSender;
  readonly clock: Clock;
  readonly workload: Workload;
  readonly store: RecordStore;
  readonly series: SecondSeries;
  /** Sends intended before this instant are warm-up. */
  readonly measureFromMs: number;
  /** No attempt is repeated after this instant: a target may ask for a wait of days. */
  readonly retryUntilMs: number;
  readonly onExchange: (exchange: Exchange) => void;
  /** Shared with other workers that send the same profile. */
  readonly hold: Hold;
  readonly watches: readonly RecordWatch[];
  readonly signal: AbortSignal;
}
