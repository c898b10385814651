import type { LastDay } from "./last-day.ts";

/** id, reason and expires */
export interface BaselineFile {
  /**
   * a requirement, limit check, gate or finding id
   * @minLength 1
   */
  readonly id: string;
  /** fail or advisory: the verdict that is known */
  readonly verdict?: "fail" | "advisory";
  /**
   * why it is known
   * @minLength 1
   */
  readonly reason: string;
  readonly expires?: LastDay;
}
