import type { LimitOp } from "../history/op.ts";

/** Every wait that a refusal names, wherever it does. */
export function statedWaitsMs({ retry }: LimitOp): readonly number[] {
  const hints = [retry?.header, retry?.bodySeconds, retry?.bodyMs, retry?.headerMs];
  return hints.map((hint) => hint?.waitMs).filter((waitMs) => typeof waitMs === "number");
}
