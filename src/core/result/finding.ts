import type { Level } from "./requirement.ts";
import type { Verdict } from "./verdict.ts";

/** Something the reader has to act on, with the evidence to act on it. */
export interface Finding {
  /** Stable within a run and deterministic: `F001`. */
  readonly id: string;
  readonly stage: "conformance" | "limits" | "load" | "baseline" | "harness";
  readonly requirement: string | null;
  /** Judge, limit check or gate id. */
  readonly check: string;
  readonly level: Level | null;
  readonly verdict: Extract<Verdict, "fail" | "advisory">;
  /** One sentence an engineer understands at 3 a.m., in our words. */
  readonly message: string;
  /** Section of the specification, and the decided reading where one is involved. */
  readonly spec: string | null;
  readonly sent: string | null;
  readonly expected: string;
  readonly observed: string;
  /** Sequence numbers in evidence.ndjson. */
  readonly exchanges: readonly number[];
  /** Number of further occurrences that were counted but not listed. */
  readonly more: number;
  /** Reproduction with `$ASSAY_API_KEY`, null where one request does not reproduce it. */
  readonly curl: string | null;
  /** Listed in the manifest's baseline: reported, but does not fail the run. */
  readonly baselined: boolean;
}
