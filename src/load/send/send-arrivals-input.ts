import type { Clock } from "../../core/clock.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { Random } from "../../core/random.ts";
import type { LoadPlan } from "../plan/plan-load.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { RecordStore } from "../samples/record-store.ts";
import type { Share } from "../arrivals/share.ts";
import type { LevelRepeats } from "./level-repeats.ts";
import type { LoadEngine } from "./load-engine.ts";
import type { Repeats } from "./repeats.ts";
import type { RateBarrier } from "./rate-barrier.ts";
import type { ConversationTally } from "./send-loops.ts";

export interface SendArrivalsInput {
  /** As this share sends it. */
  readonly profile: LoadProfile;
  /** Of the whole profile. */
  readonly plan: LoadPlan;
  readonly share: Share;
  readonly manifest: Manifest;
  readonly clock: Clock;
  readonly engine: LoadEngine;
  readonly store: RecordStore;
  readonly random: Random;
  readonly startMs: number;
  /** Of the workers that send a search together. */
  readonly barrier?: RateBarrier;
  readonly virtualTime?: boolean;
  /** Seconds that are sent again at the end; absent: none. */
  readonly repeats?: Repeats;
  /** Levels of a search that are tried again; absent: none. */
  readonly levelRepeats?: LevelRepeats;
}

export interface SentArrivals {
  /** Requests of this share that were planned, every turn of a conversation one. */
  readonly planned: number;
  /** Conversations of this share that were planned, and how they ended so far; null where the profile has none. */
  readonly conversations: { readonly planned: number; readonly tally: ConversationTally } | null;
  /** End of the measured window on the run clock. */
  readonly toMs: number;
  /** Levels that a search asked for and that ran to their end, and how long each took. */
  readonly rates: readonly number[];
  readonly lengthsMs?: readonly number[];
  /** Places of those that were tried again; absent: none. */
  readonly replacedSteps?: readonly number[];
}
