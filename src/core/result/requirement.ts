/** One normative statement of the specification; rows live in `schemas/requirements.json`. */
export interface Requirement {
  /** Frozen, never reused: `CHAT-021`. */
  readonly id: string;
  readonly suite: SuiteId;
  readonly level: Level;
  /** Heading path in the specification, `Limits > Spend caps`. */
  readonly section: string;
  readonly specLines: readonly number[];
  /** The statement in our own words. */
  readonly text: string;
  /** How it is observed; decides what its absence means. */
  readonly how: readonly Observation[];
  /** The request that is sent and the members that are compared, in our own words. */
  readonly check: string;
  /** Decided reading `AMB-nn` that the row rests on. */
  readonly reading: string | null;
  /**
   * Why the row has its level: for `implied` the sentence that implies it, for `should` and `unspecified` what a service that
   * does otherwise could say for itself. null where the level needs no reason (`must`, `may`).
   */
  readonly why: string | null;
  /** Set when nothing outside the service can check it: the reason, printed with the verdict `excluded`. */
  readonly exclusion: string | null;
}

export type Level =
  /** The specification states it. */
  | "must"
  /** Its opposite makes a stated sentence, the name or type of a field, or another statement of the service false. */
  | "implied"
  /** A competent implementer could defend the opposite in public. */
  | "should"
  | "may"
  /** Nothing is said: the answer is recorded. */
  | "unspecified";

export type Observation =
  /** Judged on every response of any stage. */
  | "passive"
  /** An ordinary key is enough. */
  | "active"
  | "second-key"
  | "admin-key"
  | "spend"
  | "fetch"
  | "fixture"
  /** Obligation of our own client, proved by our tests. */
  | "self"
  | "not-observable";

export const suiteIds = [
  "core",
  "chat",
  "stream",
  "embeddings",
  "images",
  "audio",
  "models",
  "usage",
  "limits",
  "settings",
  "spend",
  "scopes",
  "faults",
  "convention",
] as const;

export type SuiteId = (typeof suiteIds)[number];
