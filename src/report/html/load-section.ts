import { describeOvershoot } from "../../core/result/describe-overshoot.ts";
import type { AgentHealth } from "../../core/result/generator-health.ts";
import type { LoadDistribution } from "../../core/result/load-figures.ts";
import type { LoadProfileResult, LoadResult } from "../../core/result/load-result.ts";
import { countOf, formatCount, formatDuration, formatMs, formatNumber, formatPercent } from "../text/format-number.ts";
import { countedWords } from "../text/counted-words.ts";
import {
  cacheAuditWords,
  cacheWords,
  conversationWords,
  leavingWords,
  lengthWords,
  networkWords,
  requestWords,
} from "../text/request-words.ts";
import { intervalCaveat } from "../text/interval-words.ts";
import { notSentWords } from "../text/not-sent-words.ts";
import { profileWord } from "../text/measurement-word.ts";
import { renderLoadCharts } from "./load-charts.ts";
import { renderProbe } from "./probe-table.ts";
import { renderRepeats } from "./repeat-table.ts";
import { badge, facts, fragment, section, table } from "./parts.ts";
import { html, type Insertable, nothing, type SafeHtml } from "../escape/safe-html.ts";
import { leftOutLines } from "../text/limit-words.ts";
import { limitCheckWords } from "../text/limit-check-words.ts";
import { verdictRank } from "./verdict-rank.ts";
import { verdictWords } from "../text/verdict-word.ts";

/** One card for each load profile. */
export function renderLoad(load: LoadResult | null): SafeHtml {
  if (load === null) return nothing;
  return section({ id: "load", title: "Latency and streaming", fold: foldWords(load), body: load.profiles.map(renderProfile) });
}

/** The figures are details where every gate is met; without gates they are the result. */
function foldWords({ profiles }: LoadResult): string | null {
  const gates = profiles.flatMap((profile) => profile.gates);
  const isMet = profiles.every(({ validity }) => validity.valid) && gates.every(({ verdict }) => verdict === "pass");
  return isMet && gates.length > 0 ? `Figures and charts of ${countOf(profiles.length, "profile")}` : null;
}

function renderProfile(profile: LoadProfileResult): SafeHtml {
  const remarks = [...profile.validity.reasons, ...(profile.validity.remarks ?? [])];
  return html`<article class="card" id="${fragment("profile-", profile.id)}">
    <header>
      <h3>${profile.title}</h3>
      ${badge(profileWord(profile))}
    </header>
    <p class="sub">
      ${profile.arrivals} · ${profile.workload} · ${profile.engine === "autocannon" ? "closed loop, autocannon" : "open loop"}
    </p>
    ${
      remarks.length > 0 &&
      html`<ul class="sub">
        ${remarks.map((remark) => html`<li>${remark}</li>`)}
      </ul>`
    }
    ${facts(profileFacts(profile))} ${renderCrossChecks(profile)}${renderLimitChecks(profile)}${renderLoadCharts(profile)}
    ${renderRepeats(profile)}${renderCachedTurns(profile)}${renderProbe(profile)}
    ${
      profile.cacheAudit?.verdict === "cached" &&
      html`<p class="note">
        The target answers repeated prompts from a response cache: the latencies below are those of its cache where a prompt was
        asked before.
      </p>`
    }
    ${renderPercentiles(profile)}
    ${
      profile.observations.length > 0 &&
      html`<div>
        <h4>Observations</h4>
        <ul class="sub">
          ${profile.observations.map((entry) => html`<li>${entry.message} (${formatCount(entry.count)} of ${formatCount(entry.outOf)})</li>`)}
        </ul>
      </div>`
    }
  </article> `;
}

/** Early end, the usage report beside the answers, and a second generator beside ours: reported, never judged here. */
function renderCrossChecks({ endedEarly, usageCheck, crossCheck, crossCheckSkipped }: LoadProfileResult): SafeHtml {
  const rows: (readonly [string, Insertable])[] = [];
  if (usageCheck != null) {
    const answered = usageCheck.ours === null ? "not reported by every answer" : `${formatCount(usageCheck.ours)} tokens`;
    const reported = usageCheck.reported === null ? "not readable" : `${formatCount(usageCheck.reported)} tokens`;
    rows.push(
      ["Usage reported by answers", answered],
      ["Usage report grew by", reported],
      ["Reconciliation", html`${usageCheck.outcome.replace("-", " ")} <span class="sub">${usageCheck.message}</span>`],
    );
  }
  if (crossCheck != null) {
    const share = crossCheck.ratio === null ? "" : `, ${formatPercent(crossCheck.ratio, 0)} of it with our engine`;
    const problems = crossCheck.problems.length === 0 ? "" : `; not to be trusted: ${crossCheck.problems.join(", ")}`;
    rows.push([
      `Cross-check by ${crossCheck.tool}`,
      `${formatNumber(crossCheck.requestsPerSecond)} /s over ${countOf(crossCheck.connections, "connection")}${share}${problems}`,
    ]);
  }
  if (crossCheckSkipped != null) rows.push(["Cross-check", `not made: ${crossCheckSkipped}`]);
  return html`${endedEarly != null && html`<p class="note">Ended early: ${endedEarly}</p>`}${rows.length > 0 && facts(rows)}`;
}

function profileFacts(profile: LoadProfileResult): readonly (readonly [string, Insertable])[] {
  const { rates, health } = profile;
  const truth = profile.serverTruth;
  const outcomes = Object.entries(profile.outcomes).map(([name, count]) => `${name} ${formatCount(count)}`);
  const unsent = notSentWords(profile);
  const conversations = conversationWords(profile);
  const counted = countedWords(profile);
  const lengths = lengthWords(profile);
  const leaving = leavingWords(profile);
  const cached = cacheWords(profile);
  const network = networkWords(profile);
  const audit = cacheAuditWords(profile);
  const rows: (readonly [string, Insertable])[] = [
    ["Offered, achieved", `${formatNumber(rates.offered)} /s, ${formatNumber(rates.achieved)} /s`],
    [
      "Goodput",
      rates.goodput === null
        ? "–"
        : `${formatNumber(rates.goodput)} /s${profile.goodFraction === null ? "" : ` (${formatPercent(profile.goodFraction)} of attempts)`}`,
    ],
    ["Output", rates.outputTokens === null ? "–" : `${formatNumber(rates.outputTokens)} tokens/s`],
    ["Requests", requestWords(profile)],
    ...(conversations === "" ? [] : [["Conversations", conversations] as const]),
    ...(lengths === "" ? [] : [["Tokens a request", lengths] as const]),
    ...(network === "" ? [] : [["Network round trip, in each time to first token", network] as const]),
    ...(cached === "" ? [] : [["Cached tokens", cached] as const]),
    ...(audit === "" ? [] : [["Response cache", audit] as const]),
    ...(leaving === "" ? [] : [["Clients that leave", leaving] as const]),
    ["Outcomes", outcomes.join(", ")],
    ...(unsent === "" ? [] : [["Not sent", unsent] as const]),
    ...(counted === "" ? [] : [["Records", counted] as const]),
    [
      "Steady state",
      profile.steadyState === null
        ? "not found"
        : `${formatDuration(profile.steadyState.fromMs)} to ${formatDuration(profile.steadyState.toMs)} (${profile.steadyState.method})`,
    ],
    ["Dispatch delay p99", formatMs(health.dispatchDelayP99Ms)],
    [
      "Generator event loop",
      `${formatPercent(health.loopUtilization, 0)} utilization, longest delay ${formatMs(health.loopDelayMaxMs)}`,
    ],
  ];
  for (const agent of health.agents ?? []) rows.push([`Agent ${agent.name}`, describeAgent(agent)]);
  if (truth !== null) {
    const difference = truth.firstTokenDifferenceMs;
    rows.push([
      `Compared with ${truth.source}`,
      `${difference === null ? "first token not reported" : `first token p50 ${formatMs(difference.p50)}, p99 ${formatMs(difference.p99)}, at most ${formatMs(difference.max)} later`}, ${countOf(truth.samples, "sample")}${truth.impossible > 0 ? `, ${truth.impossible} impossible` : ""}`,
    ]);
  }
  return rows;
}

function describeAgent({ lost, sent, ok, sentPerSecond, clock, loopUtilization, loopDelayMaxMs }: AgentHealth): string {
  const traffic = `${countOf(sent, "attempt")}, ${formatCount(ok)} ok, ${formatNumber(sentPerSecond)} /s`;
  const known = clock === null ? "clock not known" : `clock within ${formatMs(clock.errorMs)}`;
  const loop = `event loop ${formatPercent(loopUtilization, 0)}, longest delay ${formatMs(loopDelayMaxMs)}`;
  return `${lost === null ? "" : `lost: ${lost}; until then `}${traffic}; ${known}; ${loop}`;
}

const metricNames: Readonly<Record<string, string>> = {
  "dispatch-delay": "Dispatch delay",
  ttfb: "First byte",
  ttfe: "First event",
  ttft: "First text (TTFT)",
  ttfo: "First output",
  "inter-chunk": "Gap between chunks",
  "inter-token": "Gap between tokens",
  tpot: "Time per output token",
  "longest-stall": "Longest stall of a stream",
  "service-latency": "Service latency",
  "user-latency": "User latency",
  connect: "Connect",
  "tokens-per-second": "Tokens per second of a stream",
};

const shownPercentiles: readonly number[] = [50, 90, 95, 99, 99.9];

/** The whole window in the open, the steady part folded. */
function renderPercentiles(profile: LoadProfileResult): SafeHtml {
  const steady = profile.distributions.filter((distribution) => distribution.phase === "steady");
  const whole = profile.distributions.filter((distribution) => distribution.phase === "whole");
  const first = whole.length > 0 ? whole : steady;
  const caveat = intervalCaveat(profile);
  return html`${caveat !== "" && first.length > 0 && html`<p class="sub">${caveat}</p>`}${first.length > 0 && percentileTable(profile, first)}${
    whole.length > 0 &&
    steady.length > 0 &&
    html`<details>
      <summary><span class="grow sub">The same in the steady part</span></summary>
      ${percentileTable(profile, steady)}
    </details>`
  }`;
}

function percentileTable(profile: LoadProfileResult, distributions: readonly LoadDistribution[]): SafeHtml {
  return table({
    caption: `Percentiles of ${profile.title}, ${distributions[0]?.phase ?? "whole"}`,
    head: ["Metric", "Outcome", "Samples", ...shownPercentiles.map((percentile) => `p${percentile}`), "Max"],
    figures: [2, ...shownPercentiles.map((_, index) => index + 3), shownPercentiles.length + 3],
    filterable: true,
    rows: distributions.map((distribution) => [
      html`${metricNames[distribution.metric] ?? distribution.metric}
        <div class="sub">
          ${distribution.endpoint}, ${distribution.phase}${distribution.estimated && ", estimated from chunks"}
        </div>`,
      distribution.outcome,
      formatCount(distribution.count),
      ...shownPercentiles.map((wanted): Insertable => {
        const estimate = distribution.percentiles.find(({ percentile }) => percentile === wanted);
        if (estimate === undefined) return "–";
        if (estimate.value === null) return html`<span class="sub">too few</span>`;
        return html`${formatNumber(estimate.value)}${estimate.low !== null && estimate.high !== null && html`<div class="sub">${formatNumber(estimate.low)}–${formatNumber(estimate.high)}</div>`}`;
      }),
      html`${formatNumber(distribution.max)} <span class="sub">${distribution.unit}</span>`,
    ]),
  });
}

/** The part of the prompts that a cache held, turn by turn of conversations. */
function renderCachedTurns({ title, cache }: LoadProfileResult): SafeHtml {
  if (cache === undefined || cache.turns.length < 2) return nothing;
  return html`<div>
    <h4>Cached tokens by turn</h4>
    <p class="sub">The tokens of the prompts of each turn that a cache of the target held, as usage reports them.</p>
    ${table({
      caption: `Cached tokens by turn of ${title}`,
      head: ["Turn", "Answers", "Prompt tokens", "Cached", "Hit rate"],
      figures: [1, 2, 3, 4],
      rows: cache.turns.map(({ turn, requests, promptTokens, cachedTokens }) => [
        formatCount(turn),
        formatCount(requests),
        formatCount(promptTokens),
        formatCount(cachedTokens),
        promptTokens === 0 ? "–" : formatPercent(cachedTokens / promptTokens),
      ]),
    })}
  </div>`;
}

/** Which checks stood behind the gates on limits of a profile; one line where nobody asked and none failed. */
function renderLimitChecks(profile: LoadProfileResult): SafeHtml {
  const leftOut = leftOutLines(profile.limitAccount ?? []).map((line) => html`<p class="note">${line}.</p>`);
  return html`${judgedLimits(profile)}${leftOut}`;
}

function judgedLimits({ title, gates, limitChecks }: LoadProfileResult): SafeHtml {
  const asked = gates.some(({ kind }) => kind === "limits");
  const checks = limitChecks ?? [];
  if (limitChecks == null || (checks.length === 0 && !asked)) return nothing;
  if (checks.length === 0) return html`<p class="note">No limit check found in this traffic what it needs to judge.</p>`;
  if (!asked && checks.every(({ verdict }) => verdict !== "fail")) {
    const overshoot = checks.flatMap((check) =>
      check.overshoot === undefined ? [] : [html`<p class="note">${check.policy}: ${describeOvershoot(check.overshoot)}.</p>`],
    );
    return html`<p class="note">Limit checks over this traffic: ${limitCheckWords(checks)}; each of them in result.json.</p>
      ${overshoot}`;
  }
  const rows = checks
    .toSorted((a, b) => verdictRank[a.verdict] - verdictRank[b.verdict])
    .map((check) => [
      html`<span class="id">${check.id}</span> ${check.title}`,
      check.policy,
      formatCount(check.considered),
      formatCount(check.needed),
      check.message,
      badge(verdictWords[check.verdict]),
    ]);
  return html`<details class="group" open>
    <summary><span class="grow">Limit checks over this traffic</span><span class="sub">${limitCheckWords(checks)}</span></summary>
    ${table({
      caption: `Limit checks over the traffic of ${title}`,
      head: ["Check", "Policy", "Considered", "Needed", "What it says", "Verdict"],
      figures: [2, 3],
      filterable: true,
      rows,
    })}
  </details> `;
}
