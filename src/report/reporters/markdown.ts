import type { GateResult } from "../../core/result/gate-result.ts";
import type { LimitPolicyResult, LimitTimeline } from "../../core/result/limits-result.ts";
import type { Result } from "../../core/result/result.ts";
import { clipStrings } from "../escape/clip.ts";
import { markdownBlock, markdownCode, markdownText } from "../escape/markdown.ts";
import { listFailures } from "../list-failures.ts";
import { orderFindings } from "../order-findings.ts";
import { countOf, formatDuration, formatFigure, formatMs, formatPercent, formatUsd } from "../text/format-number.ts";
import { alsoWords, otherForms } from "../text/finding-words.ts";
import {
  type LatencyFigure,
  latencyPercentiles,
  latencyRows,
  noLatencyWords,
  outcomeWords,
  refusalWords,
} from "../text/latency-rows.ts";
import { countedWords } from "../text/counted-words.ts";
import { instrumentDoubts } from "../text/instrument-doubts.ts";
import { notSentWords } from "../text/not-sent-words.ts";
import { gateInterval } from "../text/interval-words.ts";
import { longerWords } from "../text/longer-words.ts";
import { atLeastSign, observedWords } from "../text/observed-words.ts";
import { scopeCaveat, waiverWords } from "../text/scope-words.ts";
import { stageCounts } from "../text/stage-counts.ts";
import { runVerdictWord, suiteVerdictWords, verdictWords } from "../text/verdict-word.ts";

const formsListed = 3;
const gapsListed = 10;

export interface MarkdownOptions {
  /** Findings reported in full; the rest is counted. */
  readonly maxFindings?: number;
}

/** Verdict, findings, gates, suites and limits as GitHub-flavoured Markdown; bytes of the target stand in code or escaped. */
export function renderMarkdown(full: Result, options: MarkdownOptions = {}): string {
  const result = clipStrings(full, 800, new Set(["histogram"]));
  const word = runVerdictWord(result);
  const parts = [
    `## ${word.glyph} ${word.word}: ${markdownText(result.target.name)}\n`,
    `${markdownText(result.reason)}\n`,
    renderCounts(result),
    `Exit code ${result.exitCode} · ${countOf(listFailures(result).length, "failure")} · ${formatDuration(result.durationMs)} · ${countOf(result.spent.requests, "request")} · ${formatUsd(result.spent.estimatedUsd)} · ${markdownCode(result.target.baseUrl)} · seed ${result.seed}\n`,
    ...(result.health.valid ? [] : [`**Measurement not valid:** ${markdownText(result.health.reasons.join("; "))}\n`]),
    ...instrumentDoubts(result.load).map((doubt) => `**${markdownText(doubt)}**\n`),
    renderGates(result),
    renderRequests(result),
    renderLatencies(result),
    renderFindings(result, options.maxFindings ?? 20),
    renderScope(result),
    renderSuites(result),
    renderLimits(result),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function renderCounts(result: Result): string {
  const { conformance, limits, load } = stageCounts(result);
  const rows = [
    ["conformance", conformance],
    ["limits", limits],
    ["load", load],
  ].filter(([, counts]) => counts !== null);
  return rows.map(([stage, counts]) => `- ${stage}: ${counts}\n`).join("");
}

function renderGates(result: Result): string {
  const gates = (result.load?.profiles ?? []).flatMap((profile) => profile.gates);
  if (gates.length === 0) return "";
  return `### Gates\n\n| | Gate | Bound | Observed | 95 % interval | Margin |\n|---|---|---:|---:|---:|---:|\n${gates.map(gateRow).join("")}`;
}

function renderLatencies(result: Result): string {
  const blocks = (result.load?.profiles ?? []).map((profile) => {
    const outcomes = outcomeWords(profile);
    const head = `${markdownCode(profile.id)} ${markdownText(profile.arrivals)}${outcomes === "" ? "" : `: ${markdownText(outcomes)}`}`;
    const rows = latencyRows(profile).map(
      ({ endpoint, name, count, figures }) => `| ${endpoint} | ${name} | ${count} | ${figures.map(cellOf).join(" | ")} |\n`,
    );
    if (rows.length === 0) return `${head}: ${noLatencyWords(profile)}\n`;
    const names = latencyPercentiles.map((percentile) => `p${percentile}`).join(" | ");
    return `${head}\n\n| Endpoint | Latency of successes | n | ${names} |\n|---|---|---:|---:|---:|---:|\n${rows.join("")}${refusalWords(
      profile,
    )
      .map((words) => `\n${markdownText(words)}\n`)
      .join("")}`;
  });
  return blocks.length === 0 ? "" : `### Latency\n\n${blocks.join("\n")}`;
}

function cellOf({ value, isLeast }: LatencyFigure): string {
  return `${isLeast ? markdownText(atLeastSign) : ""}${formatMs(value)}`;
}

/** Gates count what was not sent as attempted: why it never left says whose doing it was. And what was not kept. */
function renderRequests(result: Result): string {
  return (result.load?.profiles ?? [])
    .flatMap((profile) => [
      [profile.id, "not sent", notSentWords(profile)] as const,
      [profile.id, "records", countedWords(profile)] as const,
    ])
    .filter(([, , words]) => words !== "")
    .map(([id, what, words]) => `${markdownCode(id)} ${what}: ${markdownText(words)}\n`)
    .join("\n");
}

function gateRow(gate: GateResult): string {
  const observed = markdownText(observedWords(gate));
  const interval = markdownText(gateInterval(gate));
  const longer = longerWords(gate);
  return `| ${verdictWords[gate.verdict].glyph} ${gate.verdict} | ${markdownCode(gate.expression)} | ${markdownText(formatFigure(gate.bound, gate.unit))} | ${observed} | ${interval} | ${longer === "" ? formatPercent(gate.margin) : markdownText(longer)} |\n`;
}

function renderFindings(result: Result, maxFindings: number): string {
  if (result.findings.length === 0) return "";
  const ordered = orderFindings(result.findings);
  const shown = ordered.slice(0, maxFindings).map((finding) => {
    const word = verdictWords[finding.verdict];
    const head = `- ${word.glyph} **${markdownText(finding.id)}** ${finding.baselined ? "(known) " : ""}${markdownText(finding.message)}`;
    const where = [finding.level?.toUpperCase(), finding.requirement, finding.spec, alsoWords(finding)]
      .filter((part) => part != null)
      .map((part) => markdownText(part));
    const lines = [
      head,
      `  ${where.join(" · ")}`,
      finding.sent === null ? "" : `  sent ${markdownCode(finding.sent)}`,
      `  expected ${markdownCode(finding.expected)}, observed ${markdownCode(finding.observed)}`,
      ...otherForms(finding)
        .slice(0, formsListed)
        .map(({ sent, observed }) => `  and ${markdownCode(sent)}: ${markdownCode(observed)}`),
    ];
    return `${lines.filter((line) => line.trim() !== "").join("  \n")}\n`;
  });
  const curls = ordered.slice(0, maxFindings).filter((finding) => finding.curl !== null && finding.verdict === "fail");
  const repro =
    curls.length === 0
      ? ""
      : `\n<details><summary>See them again</summary>\n\n${curls.map((finding) => `${markdownText(finding.id)}\n\n${markdownBlock(finding.curl ?? "", "sh")}`).join("\n")}\n</details>\n`;
  const rest = ordered.length > maxFindings ? `\n${countOf(ordered.length - maxFindings, "more finding")} in the report.\n` : "";
  return `### Findings\n\n${shown.join("")}${rest}${repro}`;
}

/** The requirements outside the verdict, and the members that would bring them into it. */
function renderScope({ scope }: Result): string {
  if (scope === null) return "";
  const caveat = scopeCaveat(scope);
  const waived = scope.waived.map((entry) => `- waived ${markdownText(waiverWords(entry))}\n`).join("");
  const open = scope.open.map(({ id, reason }) => `- ${markdownText(id)} is inconclusive: ${markdownText(reason)}\n`);
  const gaps = [
    ...open.slice(0, gapsListed),
    ...(open.length > gapsListed ? [`- and ${open.length - gapsListed} more\n`] : []),
  ].join("");
  if (scope.missing.length === 0 && waived === "" && gaps === "") return "";
  const rows = scope.missing.map(
    ({ member, what, requirements }) => `| ${markdownCode(member)} | ${requirements.length} | ${markdownText(what)} |\n`,
  );
  const supply = rows.length === 0 ? "" : `\n| Supply | For requirements | What it is |\n|---|---:|---|\n${rows.join("")}`;
  const yaml = scope.yaml === null ? "" : `\n${markdownBlock(scope.yaml.trimEnd(), "yaml")}\n`;
  const panel =
    supply === "" ? "" : `\n<details><summary>What to supply in assay.config.yaml</summary>\n${supply}${yaml}\n</details>\n`;
  return `### To complete this verdict\n\n${caveat === null ? "" : `${markdownText(caveat)}\n\n`}${gaps}${waived}${panel}`;
}

function renderSuites(result: Result): string {
  const suites = (result.conformance?.suites ?? []).filter((suite) =>
    Object.values(suite.counts).some((level) => Object.keys(level).length > 0),
  );
  if (suites.length === 0) return "";
  const rows = suites.map((suite) => {
    const count = (verdict: keyof typeof verdictWords): number =>
      Object.values(suite.counts).reduce((sum, level) => sum + (level[verdict] ?? 0), 0);
    const word = suiteVerdictWords[suite.verdict];
    return `| ${suite.id} | ${word.glyph} ${word.word} | ${count("pass")} | ${count("fail")} | ${count("advisory")} | ${count("inconclusive")} | ${count("untested")} |\n`;
  });
  return `### Conformance\n\n| Suite | Verdict | Pass | Fail | Advisory | Inconclusive | Untested |\n|---|---|---:|---:|---:|---:|---:|\n${rows.join("")}`;
}

function renderLimits(result: Result): string {
  const policies = result.limits?.policies ?? [];
  if (policies.length === 0) return "";
  const blocks = policies.map(
    (policy) =>
      `${verdictWords[policy.verdict].glyph} **${markdownText(policy.title)}** (${policy.tier}): ${markdownText(policy.summary)}\n${stripOf(policy)}`,
  );
  return `### Limits\n\n${blocks.join("\n")}`;
}

function stripOf(policy: LimitPolicyResult): string {
  if (policy.timeline.ops.length === 0) return "";
  return `\n${markdownBlock(drawTextStrip(policy.timeline, 60))}`;
}

/**
 * The admission timeline for places that show no pictures: one character a slice of time. `#` admitted, `%` admitted and
 * rejected, `x` rejected only, `!` part of a finding, `.` nothing sent.
 */
function drawTextStrip({ ops }: LimitTimeline, columns: number): string {
  let from = Infinity;
  let to = -Infinity;
  for (const op of ops) {
    from = Math.min(from, op.sentMs);
    to = Math.max(to, op.sentMs);
  }
  const width = Math.max(1, (to - from) / columns);
  const slices = Array.from({ length: columns }, () => ({ admitted: false, rejected: false, finding: false }));
  for (const op of ops) {
    const slice = slices[Math.min(columns - 1, Math.floor((op.sentMs - from) / width))];
    if (slice === undefined) continue;
    if (op.lane === "admitted" || op.lane === "queued") slice.admitted = true;
    if (op.lane === "rejected") slice.rejected = true;
    if (op.findings.length > 0) slice.finding = true;
  }
  const strip = slices
    .map(({ admitted, rejected, finding }) =>
      finding ? "!" : admitted && rejected ? "%" : admitted ? "#" : rejected ? "x" : ".",
    )
    .join("");
  const end = `+${(to / 1000).toFixed(0)} s`;
  return `${strip}\n${`+${(from / 1000).toFixed(0)} s`.padEnd(Math.max(1, columns - end.length))}${end}\n# admitted  x rejected  % both  ! finding`;
}
