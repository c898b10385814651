import type { GateDoubt, GateResult } from "../../core/result/gate-result.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { formatFigure } from "./format-number.ts";

/** Sampling alone makes an interval: none of these is in it. */
const beyondSampling: ReadonlySet<GateDoubt> = new Set(["run-invalid", "unsettled", "instrument"]);

/** The 95 % interval of a gate, marked where more than sampling may have moved the figure. */
export function gateInterval({ low, high, unit, doubt }: GateResult): string {
  if (low === null || high === null) return "–";
  const interval = `${formatFigure(low, unit)} to ${formatFigure(high, unit)}`;
  return doubt !== undefined && beyondSampling.has(doubt) ? `${interval} (not certified)` : interval;
}

/** Why none of the intervals of a profile is certified; empty where they hold their promise. */
export function intervalCaveat({ validity, gates }: LoadProfileResult): string {
  const words = "The 95 % intervals of these figures are not certified";
  if (!validity.valid) return `${words}: the measurement is not valid.`;
  return gates.some(({ doubt }) => doubt === "unsettled") ? `${words}: the target never settled.` : "";
}
