import type { Level } from "./requirement.ts";
import type { Verdict } from "./verdict.ts";

/** Something the reader has to act on, with the evidence to act on it. */
export interface Finding {
  /** The same in every run that shows this defect: `CHAT-020.k3f9q` (`findingId`). */
  readonly id: string;
  readonly stage: "conformance" | "limits" | "load" | "baseline" | "harness";
  readonly requirement: string | null;
  /** Further requirements that the same defect violates. */
  readonly also: readonly string[];
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
  /** The ways in which the defect showed, where there are several; at most twelve. */
  readonly forms: readonly FindingForm[];
  /** Sequence numbers in evidence.ndjson. */
  readonly exchanges: readonly number[];
  /** Number of further occurrences that were counted but not listed. */
  readonly more: number;
  /** Reproduction with `$ASSAY_API_KEY`, null where one request does not reproduce it. */
  readonly curl: string | null;
  /** Listed in the manifest's baseline: reported, but does not fail the run. */
  readonly baselined: boolean;
}

/** One request that shows the defect, and how often it was seen. */
export interface FindingForm {
  /** `POST /v1/chat/completions with temperature: 2.1` */
  readonly sent: string;
  readonly observed: string;
  /** Sequence number of the first. */
  readonly exchange: number;
  readonly count: number;
}
