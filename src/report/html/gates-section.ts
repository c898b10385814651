import type { GateResult } from "../../core/result/gate-result.ts";
import type { LoadResult } from "../../core/result/load-result.ts";
import { countOf, formatFigure, formatPercent } from "../text/format-number.ts";
import { gateInterval } from "../text/interval-words.ts";
import { observedWords } from "../text/observed-words.ts";
import { verdictWords } from "../text/verdict-word.ts";
import { badge, section, table } from "./parts.ts";
import { html, type Insertable, nothing, type SafeHtml } from "../escape/safe-html.ts";
import { scaleLinear } from "d3-scale";
import { drawIntervalBar } from "../charts/interval-bar.ts";

/** Bounds on metrics: limit, observed, interval, margin. */
export function renderGates(load: LoadResult | null): SafeHtml {
  const profiles = (load?.profiles ?? []).filter((profile) => profile.gates.length > 0);
  if (profiles.length === 0) return nothing;
  const gates = profiles.flatMap((profile) => profile.gates);
  const met = gates.filter(({ verdict }) => verdict === "pass").length;
  return section({
    id: "gates",
    title: "Gates",
    fold: met === gates.length ? `${countOf(gates.length, "gate")}, all met` : null,
    lead: "A gate holds or fails only when its whole 95 % interval lies on one side of the bound. The tick is the bound, the bar the interval, the dot the value.",
    body: profiles.map(
      (profile) =>
        html`<div class="card">
          <header>
            <h3>${profile.title}</h3>
            <span class="sub">${profile.arrivals}</span>
          </header>
          ${table({
            caption: `Gates of ${profile.title}`,
            head: ["Gate", "Bound", "Observed", "95 % interval", "Margin", "Chart", "Verdict"],
            figures: [1, 2, 3, 4],
            filterable: true,
            rows: profile.gates.map(gateRow),
          })}
        </div>`,
    ),
  });
}

function gateRow(gate: GateResult): readonly Insertable[] {
  return [
    html`<code>${gate.expression}</code>${gate.reason !== null && html`<div class="sub">${gate.reason}</div>`}`,
    formatFigure(gate.bound, gate.unit),
    observedWords(gate),
    gateInterval(gate),
    formatPercent(gate.margin),
    drawBullet(gate),
    badge(verdictWords[gate.verdict]),
  ];
}

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
