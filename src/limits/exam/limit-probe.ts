import type { LimitsResult } from "../../core/result/limits-result.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { ExamDepth, ProbeTools } from "./probe-tools.ts";

export type ProbeId = "requests" | "endpoints" | "burst" | "burst-queue" | "tokens" | "spend";

/** One schedule that is ready to be sent: with the same requests to a target, or to the model of one that the plan measures. */
export interface PreparedProbe {
  readonly id: ProbeId;
  readonly title: string;
  /** Manifest name of the key that it uses up: exams with different keys may overlap. */
  readonly key: string;
  /** Nothing else may run meanwhile: it changes what every key of the account is allowed. */
  readonly alone: boolean;
  /** Stated in advance, at most; 0 for what costs nothing. */
  readonly cents: number;
  run(tools: ProbeTools): Promise<void>;
}

export interface Preparation {
  readonly probes: readonly PreparedProbe[];
  /** What the manifest does not let this probe judge. */
  readonly notJudged: LimitsResult["notJudged"];
}

/** One policy of the limits stage: what it would send to this target. Its judge reads the record (`judge-limits.ts`). */
export interface LimitProbe {
  prepare(manifest: Manifest, exam: ExamDepth): Preparation;
}
