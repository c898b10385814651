import { defaultRunMinutes } from "../../core/default-run-minutes.ts";
import type { Manifest } from "../../core/manifest.ts";

/** A limiter may make a schedule wait longer than the model of a correct target, against which it was planned. */
const timesPlanned = 3;
/** The time that an answer may take on average; models are slow. */
const secondsEach = 5;
const besideMinutes = 5;

/** Minutes after which the stage sends nothing more, whatever its target does; null: its clock is virtual, and waits cost nothing. */
export function longestExamMinutes(
  { minutes, requests }: { readonly minutes: number; readonly requests: number },
  { control, budget }: Pick<Manifest, "control" | "budget">,
): number | null {
  if (control !== null) return null;
  const most = Math.ceil(timesPlanned * minutes + (requests * secondsEach) / 60 + besideMinutes);
  return Math.min(most, budget.maxMinutes ?? defaultRunMinutes);
}
