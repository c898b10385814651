/** a length in tokens, seconds or items: a plain number, or a distribution */
export type Length = PlainLength | Distribution;

/**
 * 0 or more
 * @minimum 0
 */
type PlainLength = number;

/**
 * a number, or a distribution: { kind: fixed, normal, lognormal or empirical, and its members }
 * @discriminator kind
 */
export type Distribution = Fixed | Normal | Lognormal | Empirical;

/** Always the same. */
interface Fixed {
  readonly kind: "fixed";
  /** @minimum 0 */
  readonly value: number;
}

/** Normal, clamped. */
interface Normal {
  readonly kind: "normal";
  /** @minimum 0 */
  readonly mean: number;
  /** @minimum 0 */
  readonly standardDeviation: number;
  /** @minimum 0 */
  readonly min: number;
  /** @minimum 0 */
  readonly max: number;
}

/** Lognormal, clamped; sigma is the standard deviation of the logarithm. */
interface Lognormal {
  readonly kind: "lognormal";
  /** @exclusiveMinimum 0 */
  readonly median: number;
  /** @minimum 0 */
  readonly sigma: number;
  /** @minimum 0 */
  readonly min: number;
  /** @minimum 0 */
  readonly max: number;
}

/** Drawn from these values, by weight where weights are given. */
interface Empirical {
  readonly kind: "empirical";
  /** @minItems 1 */
  readonly values: readonly PlainLength[];
  readonly weights?: readonly PlainLength[] | null;
}
