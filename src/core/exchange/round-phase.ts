/** Phases of a round of the burst exam; `limitPhases` says what each is for. */
const roundPhases = [
  "volley",
  "cooldown",
  "after",
  "second",
  "sequential",
  "resume-hinted",
  "resume",
  "quiet-hinted",
  "quiet-after",
] as const;

export type RoundPhase = (typeof roundPhases)[number];

/** A round may be held once more, at another instant of the minute: its phases then end in it. */
export type RoundSuffix = "" | "-again";

const firstPhases: ReadonlyMap<string, RoundPhase> = new Map(roundPhases.map((phase) => [`${phase}-again`, phase]));

/** Of a round that is held once more the phase that it had before; any other as it is. */
export function phaseOfFirstRound<Phase extends string>(phase: Phase): Phase | RoundPhase {
  return firstPhases.get(phase) ?? phase;
}
