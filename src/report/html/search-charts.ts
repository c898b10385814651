import type { CapacityResult, LoadProfileResult, LoadStep } from "../../core/result/load-result.ts";
import { drawCapacity } from "../charts/capacity.ts";
import { drawGoodput } from "../charts/goodput.ts";
import { drawThroughputCurve } from "../charts/throughput-curve.ts";
import { curvePoints } from "../charts/curve-points.ts";
import { html, nothing, type SafeHtml } from "../escape/safe-html.ts";
import { formatNumber } from "../text/format-number.ts";
import { figure } from "./parts.ts";

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
