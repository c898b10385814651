import type { burstChecks } from "./burst-checks.ts";
import type { LimitCheckText } from "./limit-check-text.ts";
import type { queueChecks } from "./queue-checks.ts";
import type { requestChecks } from "./request-checks.ts";
import type { spendChecks } from "./spend-checks.ts";
import type { tokenChecks } from "./token-checks.ts";

/** Every check that the limits stage can report. */
export type LimitCheckId = keyof (typeof requestChecks &
  typeof tokenChecks &
  typeof burstChecks &
  typeof queueChecks &
  typeof spendChecks);

/** One check of the limits stage. */
export interface LimitCheckEntry extends LimitCheckText {
  /** `<policy area>.<violation>`, where `limits` is the request limit, which came first; stable, part of result.json. */
  readonly id: LimitCheckId;
}
