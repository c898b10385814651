import type { LoadValidity } from "../../core/result/load-result.ts";

/** Why a profile is not valid. */
export interface InvalidReason {
  readonly code: "generator-limited" | "bookkeeping" | "instrument" | "ended early" | "nothing was measured";
  /** The event in words; null if the code says all. */
  readonly text: string | null;
}

/** As a result says it. */
export function writeReason({ code, text }: InvalidReason): string {
  return text === null ? code : `${code}: ${text}`;
}

export function validityOf(reasons: readonly InvalidReason[]): LoadValidity {
  const isLimited = reasons.length > 0 && reasons.every(({ code }) => code === "generator-limited");
  return { valid: reasons.length === 0, reasons: reasons.map(writeReason), ...(isLimited && { generatorLimited: true }) };
}
