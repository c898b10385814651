import type { Exchange } from "../../core/exchange/exchange.ts";
import type { JudgedViolation } from "./judged-occurrence.ts";
import type { SettledRequirement } from "./settle-requirement.ts";

/** A violation with the defect that it is a sign of: findings are one for each defect, whatever requirements it violates. */
export interface AttributedViolation {
  readonly row: SettledRequirement;
  readonly occurrence: JudgedViolation;
  readonly subject: Exchange | undefined;
  readonly defect: Defect;
}

/** Both parts are the same in every run that shows the defect. */
export interface Defect {
  /** The requirement that it is reported under. */
  readonly owner: string;
  readonly kind: string;
}
