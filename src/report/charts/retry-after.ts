import { scaleLinear } from "d3-scale";
import { findLimitCheck } from "../../core/result/checks/limit-checks.ts";
import type { LimitPolicyResult, LimitTimeline } from "../../core/result/limits-result.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { bottomAxis } from "./axes.ts";
import { line, mark, px, svg, text } from "./svg.ts";

export type RetryRow = LimitTimeline["retryAfter"][number];

/** The outcome of one promise to admit again. */
export interface Promise429 {
  readonly row: RetryRow;
  /** `short`: rejected again after the promised instant. `early`: admitted clearly before it. */
  readonly outcome: "kept" | "short" | "early" | "not-tested";
  /** Header and body name different waits, by more than a second. */
  readonly disagrees: boolean;
}

/** Sorts the promises for the picture. It blames none of them: checks do. */
export function sortPromises(timeline: LimitTimeline): readonly Promise429[] {
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

/** Whether a check on Retry-After failed: only then is a promise drawn as broken. */
export function isRetryBlamed(policy: LimitPolicyResult): boolean {
  return policy.checks.some(
    ({ id, verdict }) => findLimitCheck(id)?.subject === "wait" && (verdict === "fail" || verdict === "advisory"),
  );
}

const maxRows = 18;
const rank: Readonly<Record<Promise429["outcome"], number>> = { short: 0, early: 1, kept: 2, "not-tested": 3 };
const words: Readonly<Record<Promise429["outcome"], string>> = {
  short: "rejected again after it",
  early: "admitted before it",
  kept: "✓ kept",
  "not-tested": "– nothing sent after it",
};

interface Row {
  readonly promise: Promise429;
  /** Promises that look alike and share the row. */
  readonly count: number;
}

/** Dumbbells: hollow is the promised instant, solid the first admission that was seen, both from the reject. */
export function drawRetryAfter(
  policy: LimitPolicyResult,
  all: readonly Promise429[],
  title: string,
  description: string,
): SafeHtml {
  const rows = groupAlike(all);
  const blamed = isRetryBlamed(policy);
  const waits = rows.flatMap(({ promise: { row } }) => [row.promisedMs - row.atMs, (row.admittedMs ?? row.atMs) - row.atMs]);
  const x = scaleLinear([0, Math.max(1_000, ...waits)], [110, 640]).nice();
  const bottom = rows.length * 20 + 10;
  const area = { left: 110, right: 640, top: 4, bottom };
  return svg({
    height: bottom + 38,
    title,
    description,
    body: html`${bottomAxis({ scale: x, area, label: "seconds after the reject", format: (ms) => String(ms / 1000) })}${rows.map((row, index) => drawRow(row, index * 20 + 14, x, blamed))}`,
  });
}

function drawRow({ promise, count }: Row, y: number, x: (ms: number) => number, blamed: boolean): SafeHtml {
  const { row, outcome, disagrees } = promise;
  const promised = x(row.promisedMs - row.atMs);
  const admitted = row.admittedMs === null ? null : x(row.admittedMs - row.atMs);
  const name =
    outcome === "kept" ? "admit" : blamed && outcome === "short" ? "fail" : blamed && outcome === "early" ? "warn" : "other";
  const sign = name === "fail" ? "✗ " : name === "warn" ? "! " : "";
  const differ = disagrees
    ? `, header ${row.headerSeconds ?? "–"} s, body ${row.bodySeconds ?? (row.bodyMs === null ? "–" : row.bodyMs / 1000)} s`
    : "";
  const shape = html`${admitted !== null && line(promised, y, admitted, y, `s-${name}`, 2)}<circle
      cx="${px(promised)}"
      cy="${px(y)}"
      r="4.5"
      class="s-${name}"
      stroke-width="1.8"
    />${admitted !== null && html`<circle cx="${px(admitted)}" cy="${px(y)}" r="3.6" class="f-${name}" />`}`;
  return html`${text(100, y + 4, `#${row.seq}${count > 1 ? ` ×${count}` : ""}`, { anchor: "end", class: "t2" })}${mark(shape, `#${row.seq}: promised ${((row.promisedMs - row.atMs) / 1000).toFixed(1)} s`)}${text(656, y + 4, `${sign}${words[outcome]}${differ}`, name === "fail" ? { class: "tf" } : {})}`;
}

/** Equal waits with equal outcomes share a row; bad ones are kept when there are too many. */
function groupAlike(all: readonly Promise429[]): readonly Row[] {
  const groups = new Map<string, { promise: Promise429; count: number }>();
  for (const promise of all) {
    const { row, outcome, disagrees } = promise;
    const name = [
      outcome,
      disagrees,
      Math.round((row.promisedMs - row.atMs) / 500),
      row.admittedMs === null ? "" : Math.round((row.admittedMs - row.atMs) / 500),
    ].join(" ");
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { promise, count: 1 });
    else group.count += 1;
  }
  return [...groups.values()]
    .sort((a, b) => rank[a.promise.outcome] - rank[b.promise.outcome] || b.count - a.count)
    .slice(0, maxRows)
    .sort((a, b) => a.promise.row.atMs - b.promise.row.atMs);
}
