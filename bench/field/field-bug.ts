import type { FieldRules } from "./engine/field-rules.ts";

/** One defect that somebody reported in public, as the rules of a small server, and the same server without it. */
export interface FieldBug {
  /** Repository and number of the report. */
  readonly reference: string;
  readonly says: string;
  /** The stage whose default run must fail. */
  readonly stage: "check" | "limits";
  /** Why the default run does not fail it; absent where it does. */
  readonly missed?: string;
  /** Made anew for each server: some keep state. */
  readonly broken: () => Partial<FieldRules>;
  /** Rules that the server has beside the defect. Absent: the lawful ones. */
  readonly mended?: () => Partial<FieldRules>;
}
