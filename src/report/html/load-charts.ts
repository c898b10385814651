import type { LoadDistribution, PercentileEstimate, LoadMetric } from "../../core/result/load-figures.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { drawLatencyHeatmap } from "../charts/latency-heatmap.ts";
import { drawPercentileSpectrum, type SpectrumSeries } from "../charts/percentile-spectrum.ts";
import { drawStreamWaterfall, findStalls } from "../charts/stream-waterfall.ts";
import { longerWords } from "../text/longer-words.ts";
import { countOf, formatCount, formatMs, formatNumber } from "../text/format-number.ts";
import { figure, maxTableRows } from "./parts.ts";
import { renderSearchCharts } from "./search-charts.ts";
import { html, nothing, type SafeHtml } from "../escape/safe-html.ts";
import { scaleLinear, scaleLog } from "d3-scale";
import { bottomAxis, leftAxis, logTicks } from "../charts/axes.ts";
import { readQuantiles } from "../charts/read-histogram.ts";
import { polyline, svg } from "../charts/svg.ts";

interface EcdfSeries {
  readonly name: string;
  readonly tone: "admit" | "b2" | "b3" | "b4";
  readonly dash: string;
  readonly distribution: LoadDistribution;
}

const fractions: readonly number[] = [...Array.from({ length: 50 }, (_, index) => index / 50), 0.985, 0.99, 0.995, 0.998, 0.999];

/** Share of the samples that were at most so long, on a logarithmic axis. */
function drawEcdf(series: readonly EcdfSeries[], title: string, description: string): SafeHtml {
  const area = { left: 86, right: 984, top: 20, bottom: 190 };
  const curves = series.map((entry) => ({
    ...entry,
    points: readQuantiles(entry.distribution, fractions).filter((point) => point.value > 0),
  }));
  const values = curves.flatMap(({ points }) => points.map((point) => point.value));
  const low = Math.min(...values, 1e6);
  const high = Math.max(...values, low * 2);
  const x = scaleLog([low * 0.9, high * 1.1], [area.left, area.right]);
  const y = scaleLinear([0, 1], [area.bottom, area.top]);
  return svg({
    height: 230,
    title,
    description,
    body: html`${leftAxis({ scale: y, area, label: "", format: (value) => `${Math.round(value * 100)} %`, ticks: [0, 0.25, 0.5, 0.75, 1] })}${bottomAxis({ scale: x, area, label: "ms", format: (value) => formatNumber(value, 2), ticks: logTicks(low * 0.9, high * 1.1, high / low > 60 ? [1] : [1, 2, 5]) })}
    ${curves.map(({ points, tone, dash }) => html`<path d="${polyline(points.map((point) => [x(point.value), y(point.fraction)]))}" class="s-${tone}" stroke-width="2" stroke-dasharray="${dash}" />`)} `,
  });
}

/** Every picture that a profile has data for. Distributions of one chart always have one outcome: successes. */
export function renderLoadCharts(profile: LoadProfileResult): SafeHtml {
  const endpoints = [...new Set(profile.distributions.map((distribution) => distribution.endpoint))].slice(0, 6);
  return html`${endpoints.map((endpoint) => renderSpectrum(profile, endpoint))}${renderHeatmap(profile)}${endpoints.map((endpoint) => html`${renderTtft(profile, endpoint)}${renderGaps(profile, endpoint)}`)}${renderStreams(profile)}${renderSearchCharts(profile)}`;
}

/** Of the successes; the whole window unless only the steady part was kept. */
function pick(profile: LoadProfileResult, endpoint: string, metric: LoadMetric): LoadDistribution | null {
  const found = profile.distributions.filter(
    (entry) => entry.metric === metric && entry.endpoint === endpoint && entry.outcome === "ok" && entry.count > 0,
  );
  return found.find((entry) => entry.phase === "whole") ?? found[0] ?? null;
}

function at(distribution: LoadDistribution | null, percentile: number): number | null {
  return distribution?.percentiles.find((estimate) => estimate.percentile === percentile)?.value ?? null;
}

function renderSpectrum(profile: LoadProfileResult, endpoint: string): SafeHtml {
  const user = pick(profile, endpoint, "user-latency");
  const service = pick(profile, endpoint, "service-latency");
  const series: SpectrumSeries[] = [];
  if (user !== null) series.push({ name: "user latency", tone: "admit", dash: "", distribution: user });
  if (service !== null) series.push({ name: "service latency", tone: "b3", dash: "6 3", distribution: service });
  if (series.length === 0) return nothing;
  const [userP99, serviceP99] = [at(user, 99), at(service, 99)];
  const gap = userP99 !== null && serviceP99 !== null && serviceP99 > 0 ? userP99 / serviceP99 : null;
  const finding =
    userP99 === null
      ? tooFew(user ?? service, endpoint)
      : `p99 of user latency of ${endpoint} is ${formatMs(userP99)}${gap !== null && gap > 1.1 ? `, ${formatNumber(gap, 2)} times what a measurement from the send instant would show` : ""}.`;
  return figure({
    finding,
    detail:
      "User latency counts from the intended instant, service latency from the real one. Successes only. Bars are 95 % intervals.",
    chart: drawPercentileSpectrum(series, `Latency of ${endpoint} by percentile`, finding),
    data: {
      caption: `Latency of ${endpoint} by percentile`,
      head: ["Metric", "Percentile", "Value ms", "Low", "High", "Samples still needed", "Interval takes"],
      figures: [1, 2, 3, 4, 5, 6],
      rows: series.flatMap(({ name, distribution }) =>
        distribution.percentiles.map((estimate) => [
          name,
          `p${estimate.percentile}`,
          formatNumber(estimate.value),
          formatNumber(estimate.low),
          formatNumber(estimate.high),
          formatCount(estimate.needed),
          longerWords(estimate),
        ]),
      ),
    },
  });
}

function whatLacks({ needed, atLeast }: PercentileEstimate): string {
  return atLeast === undefined
    ? `needs ${countOf(needed, "more sample")}`
    : `is ${formatMs(atLeast)} or more, as requests were given up at the time-out`;
}

/** The highest percentile that may be reported, and what the next one lacks. */
function tooFew(distribution: LoadDistribution | null, endpoint: string): string {
  const highest = distribution?.percentiles.findLast(({ value }) => value !== null);
  const lacking = distribution?.percentiles.find(({ percentile }) => percentile === 99);
  const lack = lacking === undefined ? "" : `; p99 ${whatLacks(lacking)}`;
  return highest === undefined
    ? `Latency of ${endpoint}: too few samples for any percentile.`
    : `p${highest.percentile} of latency of ${endpoint} is ${formatMs(highest.value)}${lack}.`;
}

function renderHeatmap(profile: LoadProfileResult): SafeHtml {
  if (profile.heatmap === null && profile.series.length === 0) return nothing;
  const sum = (select: (second: LoadProfileResult["series"][number]) => number): number =>
    profile.series.reduce((total, second) => total + select(second), 0);
  const heldBack = sum((second) => second.notSent);
  const tainted = profile.series.filter((second) => second.tainted).length;
  const unseen = profile.series.filter((second) => second.tainted && second.loopDelayMaxMs === null).length;
  const taint =
    tainted === 0 ? "" : ` ${countOf(tainted, "shaded second")} ${tainted === 1 ? "is" : "are"} tainted by the generator itself`;
  const unseenWords = unseen === 0 ? "" : `; nobody looked at it in ${unseen} of them`;
  const worst = profile.series.reduce<LoadProfileResult["series"][number] | null>(
    (high, second) => ((second.ttftMax ?? 0) > (high?.ttftMax ?? 0) ? second : high),
    null,
  );
  const finding = `${formatCount(sum((second) => second.ok))} answers over ${countOf(profile.series.length, "second")}; ${formatCount(sum((second) => second.limited))} were rejected, ${formatCount(sum((second) => second.failed))} failed${heldBack > 0 ? `, ${formatCount(heldBack)} were not sent` : ""}.${worst?.ttftMax == null ? "" : ` The slowest first token came in second ${worst.second}, after ${formatMs(worst.ttftMax)}.`}`;
  return figure({
    finding,
    detail: `User latency of successes, darker where more answers fell.${taint === "" ? "" : `${taint}${unseenWords}.`}`,
    chart: drawLatencyHeatmap(profile.heatmap, profile.series, `Latency over time of ${profile.title}`, finding),
    data: {
      caption: `Seconds of ${profile.title}`,
      head: ["Second", "Offered", "Sent", "2xx", "429", "Failed", "In flight", "TTFT p50", "TTFT slowest"],
      figures: [0, 1, 2, 3, 4, 5, 6, 7, 8],
      total: profile.series.length,
      rows: profile.series
        .slice(0, maxTableRows)
        .map((second) => [
          String(second.second),
          formatNumber(second.offered),
          second.sent,
          second.ok,
          second.limited,
          second.failed,
          formatNumber(second.inFlight),
          formatNumber(second.ttftP50),
          formatNumber(second.ttftMax),
        ]),
    },
  });
}

const ttftSeries: readonly (readonly [LoadMetric, string, EcdfSeries["tone"], string])[] = [
  ["ttfb", "first byte", "b4", "2 3"],
  ["ttfe", "first event", "b3", "6 3"],
  ["ttft", "first text", "admit", ""],
];

function renderTtft(profile: LoadProfileResult, endpoint: string): SafeHtml {
  const series = collect(profile, endpoint, ttftSeries);
  if (series.length === 0) return nothing;
  const medians = series.map(({ name, distribution }) => `${name} ${formatMs(at(distribution, 50))}`);
  return figure({
    finding: `Time to first token of ${endpoint}, medians by definition: ${medians.join(", ")}.`,
    detail: "Three instants of one stream. Only first text is a token; figures that differ here are not comparable elsewhere.",
    key: lineKey(series),
    chart: drawEcdf(series, `Time to first token of ${endpoint}`, medians.join(", ")),
    data: percentileData(`Time to first token of ${endpoint}`, series),
  });
}

const gapSeries: readonly (readonly [LoadMetric, string, EcdfSeries["tone"], string])[] = [
  ["inter-token", "gap between tokens", "b2", "6 3"],
  ["inter-chunk", "gap between chunks", "admit", ""],
  ["longest-stall", "longest stall of a stream", "b3", "2 3"],
];

function renderGaps(profile: LoadProfileResult, endpoint: string): SafeHtml {
  const series = collect(profile, endpoint, gapSeries);
  if (series.length === 0) return nothing;
  const stall = series.find(({ distribution }) => distribution.metric === "longest-stall")?.distribution ?? null;
  const gap = series.find(({ distribution }) => distribution.metric === "inter-chunk")?.distribution ?? null;
  const parts = [
    `half of the gaps between chunks are below ${formatMs(at(gap, 50))}`,
    `half of the streams stall for ${formatMs(at(stall, 50))} or more`,
  ];
  const finding = `Smoothness of ${endpoint}: ${[gap === null ? null : parts[0], stall === null ? null : parts[1]].filter((part) => part !== null).join("; ")}.`;
  return figure({
    finding,
    detail:
      "A chunk may hold several tokens, so the two gaps differ. Token gaps are estimated where the server does not report token boundaries.",
    key: lineKey(series),
    chart: drawEcdf(series, `Gaps inside streams of ${endpoint}`, finding),
    data: percentileData(`Gaps inside streams of ${endpoint}`, series),
  });
}

function collect(
  profile: LoadProfileResult,
  endpoint: string,
  wanted: readonly (readonly [LoadMetric, string, EcdfSeries["tone"], string])[],
): readonly EcdfSeries[] {
  return wanted.flatMap(([metric, name, tone, dash]) => {
    const distribution = pick(profile, endpoint, metric);
    return distribution === null ? [] : [{ name, tone, dash, distribution }];
  });
}

/** Swatches of lines: dash pattern and hue, so that neither is needed alone. */
function lineKey(series: readonly EcdfSeries[]): SafeHtml {
  return html`<ul class="key">
    ${series.map(
      ({ name, tone, dash, distribution }) =>
        html`<li>
          <svg viewBox="0 0 22 10" width="22" height="10" aria-hidden="true">
            <path d="M0 5H22" class="s-${tone}" stroke-width="2" stroke-dasharray="${dash}" /></svg
          >${name}${distribution.estimated && " (estimated)"}
        </li>`,
    )}
  </ul>`;
}

function percentileData(caption: string, series: readonly EcdfSeries[]): Parameters<typeof figure>[0]["data"] {
  return {
    caption,
    head: ["Definition", "Samples", "p50", "p90", "p99", "Max"],
    figures: [1, 2, 3, 4, 5],
    rows: series.map(({ name, distribution }) => [
      name,
      formatCount(distribution.count),
      formatNumber(at(distribution, 50)),
      formatNumber(at(distribution, 90)),
      formatNumber(at(distribution, 99)),
      formatNumber(distribution.max),
    ]),
  };
}

function renderStreams(profile: LoadProfileResult): SafeHtml {
  const { streams } = profile;
  if (streams.length === 0) return nothing;
  const stalls = streams.flatMap((stream) => findStalls(stream).map((stall) => stall.toMs - stall.fromMs));
  const broken = streams.filter((stream) => !stream.done).length;
  const finding = `${countOf(streams.length, "stream")} in detail: ${stalls.length === 0 ? "none stalled" : `${countOf(stalls.length, "stall")}, the longest ${formatMs(Math.max(...stalls))}`}${broken > 0 ? `; ${broken} broke off` : ""}.`;
  return figure({
    finding,
    detail:
      "Grey until the head, pale until the first text, a tick for each event, red where the stream stood still; a dot ends a complete stream, a cross a broken one.",
    chart: drawStreamWaterfall(streams, `Streams of ${profile.title}`, finding),
    data: {
      caption: `Streams of ${profile.title}`,
      head: ["Exchange", "Why", "Head ms", "First text ms", "End ms", "Events", "Complete"],
      figures: [2, 3, 4, 5],
      rows: streams.map((stream) => [
        `#${stream.seq}`,
        stream.why,
        formatNumber(stream.headersMs === null ? null : stream.headersMs - stream.intendedMs),
        formatNumber(stream.firstTokenMs === null ? null : stream.firstTokenMs - stream.intendedMs),
        formatNumber(stream.endMs - stream.intendedMs),
        stream.eventsMs.length,
        stream.done ? "yes" : "no",
      ]),
    },
  });
}
