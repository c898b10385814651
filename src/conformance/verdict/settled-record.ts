import type { RequirementResult } from "../../core/result/conformance-result.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { isAccusation } from "../judging/judge.ts";
import type { JudgedOccurrence, JudgedViolation } from "./judged-occurrence.ts";

/** A record of which each requirement has its verdict. */
export interface SettledRecord {
  /** By id, in the order of the catalogue; without their findings. */
  readonly rows: ReadonlyMap<string, RequirementResult>;
  /** The occurrences that count in them, in the same order: repetitions are weighed against first attempts. */
  readonly occurrences: readonly JudgedOccurrence[];
  readonly bySeq: ReadonlyMap<number, Exchange>;
}

/** Violations that are reported: confirmed, of a lenient reading, or of a SHOULD. */
export function violationsOf({ rows, occurrences }: SettledRecord): readonly JudgedViolation[] {
  return occurrences.filter(isAccusation).filter(({ requirement }) => {
    const verdict = rows.get(requirement)?.verdict;
    return verdict === "fail" || verdict === "advisory";
  });
}

/** The overlay has a verdict of its own: its violations are no sign of a defect of the specification. */
export function isOverlay({ rows }: SettledRecord, { requirement }: JudgedOccurrence): boolean {
  return rows.get(requirement)?.suite === "convention";
}
