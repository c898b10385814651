import type { LimitPolicyResult, LimitTimelineOp } from "../../core/result/limits-result.ts";
import { drawAdmissionTimeline, isWindowBlamed } from "../charts/admission-timeline.ts";
import { drawResetLine } from "../charts/reset-line.ts";
import { drawRetryAfter, isRetryBlamed, sortPromises } from "../charts/retry-after.ts";
import { drawSpendStaircase } from "../charts/spend-staircase.ts";
import { drawWindowStrip } from "../charts/window-strip.ts";
import { countOf, formatCents, formatDuration } from "../text/format-number.ts";
import { figure, fragment, maxTableRows } from "./parts.ts";
import { html, nothing, type SafeHtml } from "../escape/safe-html.ts";

/**
 * Every picture of one policy that its timeline has data for; `briefly` only what was sent and answered, for a policy
 * of which the others could conclude nothing.
 */
export function renderLimitCharts(policy: LimitPolicyResult, briefly: boolean): SafeHtml {
  if (briefly) return renderTimeline({ ...policy, timeline: { ...policy.timeline, feasible: [] } }, true);
  return html`${[renderTimeline(policy, false), renderWindows(policy), renderRetryAfter(policy), renderReset(policy), renderSpend(policy)]}`;
}

function renderTimeline(policy: LimitPolicyResult, briefly: boolean): SafeHtml {
  const { ops } = policy.timeline;
  if (ops.length === 0) return nothing;
  const fromMs = ops.reduce((low, op) => Math.min(low, op.sentMs), Infinity);
  const toMs = ops.reduce((high, op) => Math.max(high, op.headersMs ?? op.sentMs), -Infinity);
  const pad = Math.max(1, (toMs - fromMs) * 0.015);
  const numbered = [...new Set(ops.flatMap((op) => op.findings))].sort().slice(0, 20);
  const finding = timelineFinding(policy);
  const windows = policy.timeline.windows.length > 0 && (policy.kind === "requests" || policy.kind === "tokens");
  const id = fragment("t-", policy.id);
  const whole = figure({
    finding,
    detail: `${windows ? "Bands are the windows that the reset header declares. " : ""}Each request is the interval from sending to its response head; the service decided somewhere inside.${windows ? " The line of remaining breaks where nothing was observed." : ""} Idle stretches may be folded; they name their length.`,
    key: timelineKey(policy, numbered),
    chart: drawAdmissionTimeline({ policy, fromMs: fromMs - pad, toMs: toMs + pad, id, numbered, description: finding }),
    data: briefly
      ? null
      : {
          caption: `Requests of ${policy.title}`,
          head: ["Exchange", "Decision", "Phase", "Sent ms", "Head ms", "Status", "Remaining", "Findings"],
          figures: [3, 4, 5, 6],
          rows: opRows(ops),
          total: ops.length,
        },
  });
  return html`${whole}${renderZoom(policy, numbered, toMs - fromMs, id)}`;
}

/** The instants around the flagged requests, when the whole picture is too coarse to show them. */
function renderZoom(policy: LimitPolicyResult, numbered: readonly string[], spanMs: number, id: string): SafeHtml {
  const flagged = policy.timeline.ops.filter((op) => op.findings.length > 0);
  const first = flagged[0]?.findings[0];
  if (first === undefined || policy.kind === "key-cap" || policy.kind === "account-cap") return nothing;
  const group = flagged.filter((op) => op.findings.includes(first));
  const fromMs = Math.min(...group.slice(0, 2_000).map((op) => op.sentMs));
  const toMs = Math.max(...group.slice(0, 2_000).map((op) => op.headersMs ?? op.sentMs));
  const pad = Math.max(20, (toMs - fromMs) * 0.9);
  if ((toMs - fromMs + 2 * pad) * 5 > spanMs) return nothing;
  const finding = `Zoom: ${formatDuration(toMs - fromMs + 2 * pad)} around ${first}.`;
  return figure({
    finding,
    chart: drawAdmissionTimeline({
      policy,
      fromMs: fromMs - pad,
      toMs: toMs + pad,
      id: `${id}-zoom`,
      numbered,
      description: finding,
    }),
    data: null,
  });
}

function timelineFinding(policy: LimitPolicyResult): string {
  const { windows, cooldowns, ops } = policy.timeline;
  const over = isWindowBlamed(policy) ? windows.findIndex((window) => window.certain > window.limit) : -1;
  const worst = windows[over];
  if (worst !== undefined)
    return `${worst.certain} requests were certainly admitted in window ${over + 1}, which was declared to hold ${worst.limit}.`;
  const cooldown = cooldowns.find((entry) => entry.observedMs !== null && entry.promisedMs !== null);
  if (cooldown?.observedMs != null && cooldown.promisedMs !== null) {
    return `A cooldown of ${formatDuration(cooldown.promisedMs - cooldown.fromMs)} was promised; the first admission was seen after ${formatDuration(cooldown.observedMs - cooldown.fromMs)}.`;
  }
  const count = (lane: LimitTimelineOp["lane"]): number => ops.filter((op) => op.lane === lane).length;
  const within = windows.length > 0 ? " No window certainly held more than it was declared to." : "";
  return `${countOf(count("admitted"), "request")} admitted, ${count("rejected")} rejected, ${count("queued")} queued.${within}`;
}

function timelineKey(policy: LimitPolicyResult, numbered: readonly string[]): SafeHtml {
  const swatch = (name: string, label: string): SafeHtml =>
    html`<li>
      <svg viewBox="0 0 22 10" width="22" height="10" aria-hidden="true"><rect width="22" height="10" class="${name}" /></svg
      >${label}
    </li>`;
  const lanes = new Set(policy.timeline.ops.map((op) => op.lane));
  return html`<ul class="key">
    ${lanes.has("admitted") && swatch("f-admit", "admitted")}${lanes.has("rejected") && swatch("f-reject", "rejected (429)")}${lanes.has("queued") && swatch("f-queue", "queued")}${lanes.has("other") && swatch("f-other", "other or no answer")}${policy.timeline.feasible.length > 0 && swatch("f-feasible", "remaining that a correct limiter could report")}
    ${numbered.map((id, index) => html`<li><strong>${index + 1}</strong> <a class="id" href="#${fragment("", id)}">${id}</a></li>`)}
  </ul>`;
}

/** Flagged requests first, then a few others: what a row looks like. */
function opRows(ops: readonly LimitTimelineOp[]): readonly (readonly (string | number | SafeHtml)[])[] {
  const flagged = ops.filter((op) => op.findings.length > 0);
  const plain = ops.filter((op) => op.findings.length === 0).slice(0, 5);
  return [...flagged, ...plain]
    .slice(0, maxTableRows)
    .map((op) => [
      `#${op.seq}`,
      op.lane,
      op.phase,
      op.sentMs.toFixed(1),
      op.headersMs?.toFixed(1) ?? "–",
      op.status ?? "–",
      op.remaining ?? "–",
      op.findings.join(" "),
    ]);
}

function renderWindows(policy: LimitPolicyResult): SafeHtml {
  const { windows } = policy.timeline;
  if (windows.length < 2 && windows.every((window) => window.possible <= window.limit)) return nothing;
  const over = windows.filter((window) => window.certain > window.limit).length;
  const maybe = windows.filter((window) => window.certain <= window.limit && window.possible > window.limit).length;
  const blamed = isWindowBlamed(policy);
  const all = countOf(windows.length, "window");
  const possibly = maybe > 0 ? `; for ${maybe} it is possible` : "";
  const finding =
    over === 0
      ? `None of ${all} certainly admitted more than declared${possibly}.`
      : blamed
        ? `${over} of ${all} certainly admitted more than declared.`
        : `${over} of ${all} admitted more than its label names, which some lawful limiters do; no check holds it against the service.`;
  return figure({
    finding,
    chart: drawWindowStrip(windows, blamed, `Windows of ${policy.title}`, finding),
    data: {
      caption: `Windows of ${policy.title}`,
      head: ["Window", "From ms", "To ms", "Limit", "Certain", "Possible"],
      figures: [1, 2, 3, 4, 5],
      rows: windows.map((window, index) => [
        String(index + 1),
        window.fromMs.toFixed(0),
        window.toMs.toFixed(0),
        window.limit,
        window.certain,
        window.possible,
      ]),
    },
  });
}

function renderRetryAfter(policy: LimitPolicyResult): SafeHtml {
  const promises = sortPromises(policy.timeline);
  if (promises.length === 0) return nothing;
  const count = (outcome: string): number => promises.filter((promise) => promise.outcome === outcome).length;
  const parts = [`${countOf(promises.length, "promise")} to wait`];
  if (isRetryBlamed(policy)) {
    if (count("short") > 0) parts.push(`${count("short")} too short`);
    if (count("early") > 0) parts.push(`${count("early")} longer than needed`);
  } else parts.push("the checks hold none against the service");
  const differing = promises.filter((promise) => promise.disagrees).length;
  if (differing > 0) parts.push(`header and body differ on ${differing}`);
  const finding = `Retry-After: ${parts.join(", ")}.`;
  return figure({
    finding,
    detail: "Hollow: the instant that was promised. Solid: the first admission that was seen.",
    chart: drawRetryAfter(policy, promises, `Retry-After of ${policy.title}`, finding),
    data: {
      caption: `Retry-After of ${policy.title}`,
      head: ["Exchange", "At ms", "Promised ms", "Admitted ms", "Header s", "Body s", "Body ms", "Outcome"],
      figures: [1, 2, 3, 4, 5, 6],
      total: promises.length,
      rows: promises
        .slice(0, isRetryBlamed(policy) ? maxTableRows : 5)
        .map(({ row, outcome }) => [
          `#${row.seq}`,
          row.atMs.toFixed(0),
          row.promisedMs.toFixed(0),
          row.admittedMs?.toFixed(0) ?? "–",
          row.headerSeconds ?? "–",
          row.bodySeconds ?? "–",
          row.bodyMs ?? "–",
          outcome,
        ]),
    },
  });
}

function renderReset(policy: LimitPolicyResult): SafeHtml {
  const seen = policy.timeline.ops.filter((op) => op.resetMs !== null);
  if (seen.length < 3 || (policy.kind !== "requests" && policy.kind !== "tokens")) return nothing;
  const labels = new Set(seen.map((op) => op.resetMs)).size;
  const finding = `${countOf(seen.length, "answer")} named ${countOf(labels, "reset instant")}.`;
  return figure({
    finding,
    detail: "Answers that name one reset lie on one falling line. A label that moves with each request shows as many lines.",
    chart: drawResetLine(seen, `Reset header of ${policy.title}`, finding),
    data: null,
  });
}

/** Spending against the caps in force. */
export function renderSpend(policy: LimitPolicyResult): SafeHtml {
  const { spend } = policy.timeline;
  if (spend.length === 0) return nothing;
  const cap = policy.declared.capCents;
  const most = spend.reduce((high, point) => Math.max(high, point.cents), 0);
  const finding =
    policy.verdict === "fail" && cap !== null && most > cap && policy.timeline.caps === undefined
      ? `Spending reached ${formatCents(most)}, past the cap of ${formatCents(cap)}.`
      : `${formatCents(most)} were spent in this schedule${policy.verdict === "pass" ? "; no check holds that against the service" : ""}.`;
  return figure({
    finding,
    detail: `Line: purchases at the price that the usage report showed for one.${spend.some((point) => point.source === "usage-report") ? " Squares: the sum that the usage report showed." : ""}`,
    chart: drawSpendStaircase(policy, `Spending of ${policy.title}`, finding),
    data: {
      caption: `Spending of ${policy.title}`,
      head: ["Instant ms", "Cents", "Source"],
      figures: [0, 1],
      rows: spend.map((point) => [point.atMs.toFixed(0), point.cents.toFixed(2), point.source]),
    },
  });
}
