import { scaleLinear } from "d3-scale";
import type { LimitTimeline } from "../../core/limits-result.ts";
import { html, type SafeHtml } from "../html/safe-html.ts";
import { bottomAxis } from "./axes.ts";
import { line, mark, px, svg, text } from "./svg.ts";

export type RetryRow = LimitTimeline["retryAfter"][number];

/** What became of one promise. */
export interface RetryVerdict {
  readonly row: RetryRow;
  /** `short`: rejected again after the promised instant. `early`: admitted clearly before it. */
  readonly outcome: "kept" | "short" | "early" | "not-tested";
  /** Header and body name different waits, by more than a second. */
  readonly disagrees: boolean;
}

/** Judges nothing that the checks have not judged; sorts the promises for the picture only. */
export function sortPromises(timeline: LimitTimeline): readonly RetryVerdict[] {
  const rejects = timeline.ops.filter((op) => op.lane === "rejected");
  return timeline.retryAfter.map((row) => {
    const again = rejects.some(
      (op) => op.sentMs >= row.promisedMs && (row.admittedMs === null || op.sentMs < row.admittedMs) && op.seq !== row.seq,
    );
    const early = row.admittedMs !== null && row.admittedMs < row.promisedMs - 1_000;
    const outcome = again ? "short" : early ? "early" : row.admittedMs === null ? "not-tested" : "kept";
    const seconds = [row.headerSeconds, row.bodySeconds, row.bodyMs === null ? null : row.bodyMs / 1000].filter(
      (value) => value !== null,
    );
    return { row, outcome, disagrees: seconds.length > 1 && Math.max(...seconds) - Math.min(...seconds) > 1 };
  });
}

const maxRows = 30;
const rank: Readonly<Record<RetryVerdict["outcome"], number>> = { short: 0, early: 1, "not-tested": 3, kept: 2 };
const words: Readonly<Record<RetryVerdict["outcome"], string>> = {
  short: "✗ rejected again after it",
  early: "! admitted before it",
  kept: "✓ kept",
  "not-tested": "– nothing sent after it",
};
const tones: Readonly<Record<RetryVerdict["outcome"], string>> = {
  short: "fail",
  early: "warn",
  kept: "admit",
  "not-tested": "other",
};

/** Dumbbells: hollow is the promised instant, solid the first admission that was seen, both from the reject. */
export function drawRetryAfter(all: readonly RetryVerdict[], title: string, description: string): SafeHtml {
  const chosen = [...all].sort((a, b) => rank[a.outcome] - rank[b.outcome] || a.row.atMs - b.row.atMs).slice(0, maxRows);
  const rows = chosen.sort((a, b) => a.row.atMs - b.row.atMs);
  const waits = rows.flatMap(({ row }) => [row.promisedMs - row.atMs, (row.admittedMs ?? row.atMs) - row.atMs]);
  const x = scaleLinear([0, Math.max(1_000, ...waits)], [110, 740]).nice();
  const bottom = rows.length * 20 + 10;
  const area = { left: 110, right: 740, top: 4, bottom };
  return svg({
    width: 1000,
    height: bottom + 38,
    title,
    description,
    body: html`${bottomAxis({ scale: x, area, label: "seconds after the reject", format: (ms) => String(ms / 1000) })}${rows.map(
      (verdict, index) => {
        const { row, outcome, disagrees } = verdict;
        const y = index * 20 + 14;
        const promised = x(row.promisedMs - row.atMs);
        const admitted = row.admittedMs === null ? null : x(row.admittedMs - row.atMs);
        const name = tones[outcome];
        const shape = html`${admitted !== null && line(promised, y, admitted, y, `s-${name}`, 2)}<circle
            cx="${px(promised)}"
            cy="${px(y)}"
            r="4.5"
            class="s-${name}"
            stroke-width="1.8"
          />${admitted !== null && html`<circle cx="${px(admitted)}" cy="${px(y)}" r="3.6" class="f-${name}" />`}`;
        return html`${text(100, y + 4, `#${row.seq}`, { anchor: "end", class: "t2" })}${mark(shape, `#${row.seq}: promised ${((row.promisedMs - row.atMs) / 1000).toFixed(1)} s`)}${text(756, y + 4, words[outcome] + (disagrees ? `, header ${row.headerSeconds ?? "–"} s and body ${row.bodySeconds ?? row.bodyMs ?? "–"} differ` : ""), outcome === "short" ? { class: "tf" } : {})}`;
      },
    )}`,
  });
}
