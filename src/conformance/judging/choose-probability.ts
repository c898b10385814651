interface Draw {
  readonly all: number;
  /** How many of all are of the other kind. */
  readonly odd: number;
  readonly drawn: number;
}

/** The probability that none of the drawn ones is of the other kind. */
export function chooseProbability({ all, odd, drawn }: Draw): number {
  let probability = 1;
  for (let place = 0; place < drawn; place += 1) probability *= Math.max(0, all - odd - place) / (all - place);
  return probability;
}
