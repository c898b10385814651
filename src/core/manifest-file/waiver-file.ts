import type { LastDay } from "./last-day.ts";

/** id, reason and expires */
export interface WaiverFile {
  /**
   * a requirement id, or several with * as wildcard
   * @minLength 1
   */
  readonly id: string;
  /**
   * why it is not offered
   * @minLength 1
   */
  readonly reason: string;
  readonly expires?: LastDay;
}
