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

const suffixes = ["-again", "-calm", "-calm-again"] as const;

/**
 * A round may be held once more, at another instant of the minute: its phases then end in `-again`. If a stall of the service fell into
 * both, both are held once more.
 */
export type RoundSuffix = "" | (typeof suffixes)[number];

const firstPhases: ReadonlyMap<string, RoundPhase> = new Map(
  suffixes.flatMap((suffix) => roundPhases.map((phase) => [`${phase}${suffix}`, phase] as const)),
);

/** Of a round that is held once more the phase that it had before; any other as it is. */
export function phaseOfFirstRound<Phase extends string>(phase: Phase): Phase | RoundPhase {
  return firstPhases.get(phase) ?? phase;
}
