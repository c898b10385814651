import type { Occurrence, WeighedViolation } from "./judge.ts";

type Subject = Pick<Occurrence, "requirement" | "exchanges">;

/** A pass of these exchanges where the requirement is met, else what is wrong: words that are made only then. */
export function passOrFail(
  subject: Subject,
  isMet: boolean,
  violation: () => WeighedViolation & Pick<Occurrence, "conclusive">,
): Occurrence {
  return isMet ? { ...subject, outcome: "pass" } : { ...subject, outcome: "fail", ...violation() };
}
