/**
 * One named way to make the reference service behave otherwise. A variant is another lawful reading of the specification
 * and every MUST stays green; a mutant is one deliberate defect and the requirements it violates must fail.
 */
export type Switch = Variant | Mutant;

export interface Variant {
  readonly kind: "variant";
  readonly id: string;
  readonly area: SwitchArea;
  readonly title: string;
  readonly lawfulBecause: string;
  /** Requirements whose verdict may lawfully differ from pass (to advisory, observed or untested). */
  readonly changes?: readonly string[];
  /** Variants or mutants that contradict it. */
  readonly excludes?: readonly string[];
}

export interface Mutant {
  readonly kind: "mutant";
  readonly id: string;
  readonly area: SwitchArea;
  readonly title: string;
  /** Requirements or limit checks that must turn to fail. */
  readonly violates: readonly string[];
  /** Further ones that may fail as a consequence; everything else must stay as it was. */
  readonly mayAlsoFail?: readonly string[];
  /** Product or issue where this defect was seen. */
  readonly origin?: string;
  /** Conditions of a run that shows the defect, beyond an ordinary key: `clock:manual`, `stage:limits` ... */
  readonly needs?: readonly string[];
}

export type SwitchArea =
  | "auth"
  | "errors"
  | "chat"
  | "stream"
  | "embeddings"
  | "images"
  | "audio"
  | "models"
  | "usage"
  | "settings"
  | "headers"
  | "limits"
  | "burst"
  | "spend"
  | "tokens"
  | "transport"
  | "op";

/** The switches that are on; asked at the one place where each is implemented. */
export interface Switchboard {
  on(id: string): boolean;
}
