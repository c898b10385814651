import type { LimitPurpose } from "./limit-phase.ts";

/**
 * The purpose of one request, as its sender meant it. Judges read the intent instead of guessing it from the bytes, so that a
 * request that is wrong on purpose is never mistaken for a fault of the harness or of the target.
 */
export type Intent =
  /** A request that a correct service accepts. */
  | { readonly kind: "valid" }
  /**
   * Exactly one condition is violated. `twin` is the label of the positive request of the same case that differs
   * in that one member only; `field` is the request member at fault, as it should be named in `error.details`.
   */
  | {
      readonly kind: "violates";
      readonly requirement: string;
      readonly condition: ViolatedCondition;
      readonly field?: string;
      /** Further members at fault, where one request deliberately spoils several. */
      readonly fields?: readonly string[];
      readonly twin: string | null;
    }
  /** The specification does not say what happens: the answer is recorded, never failed. */
  | { readonly kind: "probe-unspecified"; readonly requirement: string; readonly question: string }
  /** Part of a schedule that drives a limit. */
  | ({ readonly kind: "limit" } & LimitPurpose)
  /** Part of a load profile. */
  | { readonly kind: "load"; readonly profile: string; readonly phase: "warm-up" | "measure" | "ramp-down" }
  /**
   * Preparation, restoring of settings, a request in a state that a case has established: never a subject of positive or negative
   * rows. `answers`: what may come of it, where the sender knows the state of its key. `field`: the member at fault, where it is wrong
   * on purpose.
   */
  | {
      readonly kind: "housekeeping";
      readonly purpose: string;
      readonly answers?: readonly StatedAnswer[];
      readonly field?: string;
    };

/**
 * A status, all of its class, no answer because the request waits in a queue, or a connection that is closed before the whole answer is
 * read.
 */
export type StatedAnswer = number | "2xx" | "4xx" | "queued" | "closed";

/** Why a request is not valid; decides which status is expected (spec, section "Errors"). */
export type ViolatedCondition =
  | "no-credentials"
  | "bad-credentials"
  | "missing-scope"
  | "payment-required"
  | "unknown-id"
  | "foreign-id"
  | "malformed-json"
  /** JSON, but no object, where an object lacks members that are required. */
  | "no-object"
  | "missing-field"
  | "out-of-range"
  | "wrong-type"
  | "wrong-media-type"
  | "unknown-model"
  | "unsupported-format"
  | "fault-trigger";
