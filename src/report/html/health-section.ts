import type { ErrorSpread } from "../../core/result/generator-health.ts";
import { percentRoundedDown } from "../../core/percent-rounded-down.ts";
import type { ClockJump, Result } from "../../core/result/result.ts";
import { countOf, formatMs, formatNumber, formatPercent } from "../text/format-number.ts";
import { machineWord } from "../text/measurement-word.ts";
import { instrumentDoubts } from "../text/instrument-doubts.ts";
import { badge, facts, section } from "./parts.ts";
import { html, type Insertable, type SafeHtml } from "../escape/safe-html.ts";

/** Only the load stage depends on the loop of this process, and only it watches that. */
const notMeasured = "not measured";

/** Whether the machine is a reason of the verdict, or limits what may be read from the figures. */
export function isInDoubt({ health, load }: Result): boolean {
  return !health.valid || instrumentDoubts(load).length > 0;
}

/** Whether the machine that measured can be trusted. */
export function renderHealth(result: Result): SafeHtml {
  const { health, load } = result;
  const rows: (readonly [string, Insertable])[] = [
    ["Event loop utilization", health.loopUtilization === null ? notMeasured : formatPercent(health.loopUtilization, 0)],
    [
      "Longest loop delay",
      health.loopDelayMaxMs === null ? notMeasured : health.loopDelayMaxMs === 0 ? "below 1 ms" : formatMs(health.loopDelayMaxMs),
    ],
    [
      "Clock, server minus client",
      health.clockOffsetMs === null
        ? "not determined"
        : `${formatNumber(health.clockOffsetMs[0])} to ${formatNumber(health.clockOffsetMs[1])} ms`,
    ],
    ...(health.clockJumps === undefined ? [] : [["Clock of this machine", describeJumps(health.clockJumps)] as const]),
    ["Reused-connection races", String(health.transportRaces)],
    ["Responses judged passively", `${result.passive.responsesJudged} of ${result.passive.responsesSeen}`],
  ];
  const calibration = load?.calibration ?? null;
  if (load !== null && calibration === null) rows.push(["Error of this machine", notMeasured]);
  if (calibration !== null) {
    rows.push(
      ["TTFT error of this machine", describeError(calibration.ttftErrorMs)],
      ["Inter-token error", describeError(calibration.interTokenErrorMs)],
      ["Interval coverage", percentRoundedDown(calibration.intervalCoverage)],
      [
        "Generator ceiling",
        `${formatNumber(calibration.ceiling.requestsPerSecond)} requests/s, ${formatNumber(calibration.ceiling.eventsPerSecond)} events/s`,
      ],
    );
  }
  return section({
    id: "health",
    title: "Measurement health",
    fold: isInDoubt(result) ? null : `This machine was ${machineWord(result).word}`,
    body: html`<div class="card">
      <header>
        <h3>Was this machine fit to measure?</h3>
        ${badge(machineWord(result))}
      </header>
      ${
        health.reasons.length > 0 &&
        html`<ul>
          ${health.reasons.map((reason) => html`<li>${reason}</li>`)}
        </ul>`
      }
      ${instrumentDoubts(load).map((doubt) => html`<p class="note">${doubt}</p>`)} ${facts(rows)}
    </div>`,
  });
}

/** Lengths of time are not taken from that clock: it moves no figure and no verdict. */
function describeJumps(jumps: readonly ClockJump[]): string {
  return jumps
    .map(
      ({ atMs, byMs }) =>
        `set ${byMs < 0 ? "back" : "forward"} by ${formatMs(Math.abs(byMs))}, ${formatMs(atMs)} after the begin`,
    )
    .join("; ");
}

/** A tail that is no percentile is reported as what it is. */
function describeError({ p50, p99, max, samples }: ErrorSpread): string {
  if (samples === 0) return notMeasured;
  const tail = p99 === null ? `at most ${formatMs(max)}` : `p99 ${formatMs(p99)}`;
  return `p50 ${formatMs(p50)}, ${tail} of ${countOf(samples, "sample")}`;
}
