import type { burstChecks } from "./burst-checks.ts";
import type { LimitCheckText } from "./limit-check-text.ts";
import type { requestChecks } from "./request-checks.ts";
import type { spendChecks } from "./spend-checks.ts";

/** Every check that the limits stage can report. */
export type LimitCheckId = keyof typeof requestChecks | keyof typeof burstChecks | keyof typeof spendChecks;

/** One check of the limits stage. */
export interface LimitCheckEntry extends LimitCheckText {
  /** `<policy area>.<violation>`; stable, part of result.json. */
  readonly id: LimitCheckId;
}
