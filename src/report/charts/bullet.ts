import { scaleLinear } from "d3-scale";
import type { GateResult } from "../../core/result/gate-result.ts";
import type { SafeHtml } from "../escape/safe-html.ts";
import { formatFigure } from "../text/format-number.ts";
import { drawIntervalBar } from "./interval-bar.ts";

/** Bullet graph of one gate: bound as a tick, interval as a bar, value as a dot. */
export function drawBullet(gate: GateResult): SafeHtml {
  const { bound, observed, low, high, unit } = gate;
  const values = [bound, observed, low, high].filter((value) => value !== null);
  return drawIntervalBar({
    label:
      observed === null
        ? `${gate.expression}: no value`
        : `${gate.expression}: observed ${formatFigure(observed, unit)}, bound ${formatFigure(bound, unit)}`,
    tone: gate.verdict === "pass" || gate.verdict === "fail" ? gate.verdict : "other",
    x: scaleLinear([0, Math.max(...values) * 1.15 || 1], [4, 216]),
    interval: low === null || high === null ? null : [low, high],
    value: observed,
    tick: bound,
    tickWidth: 2,
  });
}
