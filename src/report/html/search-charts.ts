import type { CapacityResult, LoadProfileResult, LoadStep } from "../../core/result/load-result.ts";
import { drawThroughputCurve } from "../charts/throughput-curve.ts";
import { curvePoints } from "../charts/curve-points.ts";
import { html, nothing, type SafeHtml } from "../escape/safe-html.ts";
import { formatNumber } from "../text/format-number.ts";
import { figure } from "./parts.ts";
import { scaleLinear, scaleLog } from "d3-scale";
import { bottomAxis, leftAxis, logTicks } from "../charts/axes.ts";
import { line, mark, path, polyline, px, svg, text } from "../charts/svg.ts";

/** The pictures of a profile that tried several levels. */
export function renderSearchCharts(profile: LoadProfileResult): SafeHtml {
  const { capacity } = profile;
  const isLoop = profile.steps.some(({ concurrency }) => concurrency !== undefined);
  return html`${capacity === undefined ? nothing : renderCapacity(profile, capacity)}${isLoop ? renderCurve(profile) : nothing}${isLoop || capacity !== undefined ? nothing : renderGoodput(profile)}`;
}

function renderCapacity(profile: LoadProfileResult, capacity: CapacityResult): SafeHtml {
  if (!profile.steps.some(({ misses = [] }) => misses.some(({ counted }) => counted > 0))) return nothing;
  const finding = `${capacity.reason}.`;
  return figure({
    finding: finding.slice(0, 1).toUpperCase() + finding.slice(1),
    detail:
      "A circle is a trial, the line is the isotonic regression over all of them, the band the 95 % interval of the level at which the trials near it cross the share that may miss the gate.",
    chart: drawCapacity({ capacity, steps: profile.steps }, `Capacity of ${profile.title}`, finding),
    data: stepsTable(profile),
  });
}

function renderCurve(profile: LoadProfileResult): SafeHtml {
  const points = curvePoints(profile.steps);
  if (points.length < 2) return nothing;
  const best = points.reduce((one, other) => (other.inAll > one.inAll ? other : one));
  const finding = `Most tokens: ${formatNumber(best.inAll)} /s in all with ${best.label}, ${formatNumber(best.perUser)} /s for one user.`;
  return figure({
    finding,
    detail: `A point is a number of requests in flight; for a user it counts 1 over the median time per output token. Medians beneath.${profile.steps.some(({ tokensEstimated }) => tokensEstimated === true) ? " Chunks were counted where an answer did not state its tokens." : ""}`,
    chart: drawThroughputCurve([{ name: profile.title, points }], `Tokens a second of ${profile.title}`, finding),
    data: profile.capacity === undefined ? stepsTable(profile) : null,
  });
}

function renderGoodput(profile: LoadProfileResult): SafeHtml {
  if (profile.steps.length < 2) return nothing;
  const { knee } = profile;
  const finding =
    knee === null
      ? "No knee was found in the offered range."
      : `Goodput reaches ${formatNumber(knee.goodput)} /s at ${formatNumber(knee.offered)} /s offered: ${knee.reason}.`;
  return figure({
    finding,
    detail: "Goodput counts answers that meet every service level of the profile. Red rings are steps that missed one.",
    chart: drawGoodput(profile, `Goodput against offered load of ${profile.title}`, finding),
    data: stepsTable(profile),
  });
}

function stepsTable({ title, steps }: LoadProfileResult): NonNullable<Parameters<typeof figure>[0]["data"]> {
  const isLoop = steps.some(({ concurrency }) => concurrency !== undefined);
  const level = (step: LoadStep): string => formatNumber(isLoop ? step.concurrency : step.asked);
  const hasTokens = steps.some(({ outputTokens }) => outputTokens != null);
  return {
    caption: `Steps of ${title}`,
    head: [
      isLoop ? "In flight" : "Asked /s",
      "Offered /s",
      "Achieved /s",
      "Goodput /s",
      "Requests",
      "User latency p95 ms",
      "TTFT p95 ms",
      ...(hasTokens ? ["Tokens /s", "TTFT p50 ms", "TPOT p50 ms"] : []),
      "Verdict",
    ],
    figures: Array.from({ length: hasTokens ? 10 : 7 }, (_, column) => column),
    rows: steps.map((step) => [
      level(step),
      formatNumber(step.offered),
      formatNumber(step.achieved),
      formatNumber(step.goodput),
      formatNumber(step.requests),
      formatNumber(step.userLatencyP95),
      formatNumber(step.ttftP95),
      ...(hasTokens ? [formatNumber(step.outputTokens), formatNumber(step.ttftP50), formatNumber(step.tpotP50)] : []),
      step.reason == null
        ? step.verdict
        : html`${step.verdict}
            <div class="sub">${step.reason}</div>`,
    ]),
  };
}

/** The share of requests that miss a gate against the level: every trial, the smoothed curve, the allowed share and the interval. */
function drawCapacity(
  { capacity, steps }: { readonly capacity: CapacityResult; readonly steps: readonly LoadStep[] },
  title: string,
  description: string,
): SafeHtml {
  const gate = capacity.limitedBy ?? steps[0]?.misses?.[0]?.gate;
  const trials = steps.slice(0, 400).flatMap((step) => {
    const miss = step.misses?.find((one) => one.gate === gate);
    const level = step.concurrency ?? step.asked;
    return miss === undefined || level === undefined || miss.counted === 0
      ? []
      : [{ level, share: miss.missed / miss.counted, allowed: miss.allowed, step }];
  });
  const levels = trials.map(({ level }) => level);
  const allowed = trials[0]?.allowed ?? 0.05;
  const area = { left: 86, right: 900, top: 26, bottom: 252 };
  const [low, high] = [Math.min(...levels) * 0.9, Math.max(...levels) * 1.12];
  const x = scaleLog([low, high], [area.left, area.right]);
  const most = Math.min(1, Math.max(4 * allowed, ...capacity.curve.map(({ share }) => share)));
  // Small shares lie around the bound: the root spreads them.
  const y = scaleLinear([0, Math.sqrt(most)], [area.bottom, area.top]);
  const up = (share: number): number => y(Math.sqrt(Math.min(most, share)));
  const percent = (root: number): string => `${formatNumber(100 * root * root)} %`;
  const curve = polyline(capacity.curve.map(({ level, share }) => [x(level), up(share)]));
  const band =
    capacity.low === null || capacity.value === null
      ? null
      : { from: x(Math.max(low, capacity.low)), to: x(Math.min(high, capacity.high ?? high)) };
  const unit = capacity.of === "rate" ? "requests per second" : "requests in flight";
  return svg({
    height: 306,
    title,
    description,
    body: html`${leftAxis({ scale: y, area, label: "missed", format: percent, ticks: [0, allowed, most / 4, most].map(Math.sqrt) })}${bottomAxis({ scale: x, area, label: unit, format: (value) => formatNumber(value), ticks: logTicks(low, high, [1, 2, 5]) })}
    ${band !== null && html`<rect x="${px(band.from)}" y="${area.top}" width="${px(Math.max(2, band.to - band.from))}" height="${area.bottom - area.top}" class="f-b2" opacity="0.16" />`}
    ${line(area.left, up(allowed), area.right, up(allowed), "s-fail", 1.2)}${text(area.right, up(allowed) - 6, `${formatNumber(100 * allowed)} % may miss ${gate ?? ""}`, { anchor: "end", class: "t2" })}
    ${path(curve, "s-b2", 2)}
    ${trials.map(({ level, share, step }) => mark(html`<circle cx="${px(x(level))}" cy="${px(up(share))}" r="4" class="${step.verdict === "pass" ? "f-b2" : step.verdict === "fail" ? "s-fail" : "s-ink"}" stroke-width="2" />`, `${formatNumber(level)}: ${formatNumber(100 * share)} % missed, ${step.verdict}`))}
    ${capacity.value !== null && html`${line(x(capacity.value), area.top - 6, x(capacity.value), area.bottom, "s-ink", 1.4)}${text(x(capacity.value) + 6, area.top + 4, formatNumber(capacity.value), { class: "tb" })}`}`,
  });
}

/** Good answers against offered load, the ideal as a diagonal, the knee marked; p95 latency beneath on the same axis. */
function drawGoodput(profile: LoadProfileResult, title: string, description: string): SafeHtml {
  const steps = profile.steps.slice(0, 200);
  const most = Math.max(1, ...steps.map((step) => Math.max(step.offered, step.achieved)));
  const x = scaleLinear([0, most * 1.04], [86, 900]);
  const upper = { left: 86, right: 900, top: 26, bottom: 180 };
  const lower = { left: 86, right: 900, top: 216, bottom: 296 };
  const y = scaleLinear([0, most * 1.04], [upper.bottom, upper.top]);
  const latency = scaleLinear(
    [0, Math.max(1, ...steps.map((step) => step.userLatencyP95 ?? 0)) * 1.08],
    [lower.bottom, lower.top],
  );
  const goodput = polyline(steps.map((step) => [x(step.offered), y(step.goodput)]));
  const slow = steps.filter((step) => step.userLatencyP95 !== null);
  const brokenSteps = polyline(slow.map((step) => [x(step.offered), latency(step.userLatencyP95 ?? 0)]));
  const last = steps.at(-1);
  const { knee } = profile;
  return svg({
    height: 336,
    title,
    description,
    body: html`${leftAxis({ scale: y, area: upper, label: "good /s", format: (value) => formatNumber(value), count: 4 })}${leftAxis({ scale: latency, area: lower, label: "p95 ms", format: (value) => formatNumber(value), count: 2 })}${bottomAxis({ scale: x, area: { ...lower, top: upper.top }, label: "offered requests per second", format: (value) => formatNumber(value) })}
      <path
        d="M${px(x(0))} ${px(y(0))}L${px(x(most))} ${px(y(most))}"
        class="s-other"
        stroke-width="1.2"
        stroke-dasharray="3 4"
      />${text(x(most) + 8, y(most) + 10, "all good", { class: "t2" })}
      ${path(goodput, "s-b2", 2)}${last !== undefined && text(x(last.offered) + 8, y(last.goodput) + 4, "goodput", { class: "tb" })}
      ${path(brokenSteps, "s-admit", 2)}
      ${steps.map((step) => mark(html`<circle cx="${px(x(step.offered))}" cy="${px(y(step.goodput))}" r="4" class="${step.verdict === "pass" ? "f-b2" : "s-fail"}" stroke-width="2" />`, `offered ${formatNumber(step.offered)}: good ${formatNumber(step.goodput)}, ${step.verdict}`))}
      ${knee !== null && html`${line(x(knee.offered), upper.top - 6, x(knee.offered), lower.bottom, "s-ink", 1.4)}${text(x(knee.offered) + 6, upper.top + 4, `knee at ${formatNumber(knee.offered)} /s`, { class: "tb" })}`}`,
  });
}
