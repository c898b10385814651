import type { GateResult } from "../../core/result/load-result.ts";
import type { LimitPolicyResult } from "../../core/result/limits-result.ts";
import type { Result } from "../../core/result/result.ts";
import { clipStrings } from "../escape/clip.ts";
import { markdownBlock, markdownCode, markdownText } from "../escape/markdown.ts";
import { orderFindings } from "../order-findings.ts";
import { countOf, formatDuration, formatFigure, formatPercent, formatUsd } from "../text/format-number.ts";
import { latencyPercentiles, latencyRows, noLatencyWords, outcomeWords } from "../text/latency-rows.ts";
import { notSentWords } from "../text/not-sent-words.ts";
import { observedWords } from "../text/observed-words.ts";
import { drawTextStrip } from "../text/draw-text-strip.ts";
import { runVerdictWord, suiteVerdictWords, verdictWords } from "../text/verdict-word.ts";

export interface MarkdownOptions {
  /** Findings told in full; the rest is counted. */
  readonly maxFindings?: number;
}

/** Verdict, findings, gates, suites and limits as GitHub-flavoured Markdown; bytes of the target stand in code or escaped. */
export function renderMarkdown(full: Result, options: MarkdownOptions = {}): string {
  const result = clipStrings(full, 800, new Set(["histogram"]));
  const word = runVerdictWord(result);
  const parts = [
    `## ${word.glyph} ${word.word}: ${markdownText(result.target.name)}\n`,
    `${markdownText(result.reason)}\n`,
    `Exit code ${result.exitCode} · ${formatDuration(result.durationMs)} · ${countOf(result.spent.requests, "request")} · ${formatUsd(result.spent.estimatedUsd)} · ${markdownCode(result.target.baseUrl)} · seed ${result.seed}\n`,
    ...(result.health.valid ? [] : [`**Measurement not valid:** ${markdownText(result.health.reasons.join("; "))}\n`]),
    ...(result.load?.calibration?.doubts ?? []).map((doubt) => `**${markdownText(doubt)}**\n`),
    renderGates(result),
    renderNotSent(result),
    renderLatencies(result),
    renderFindings(result, options.maxFindings ?? 20),
    renderSuites(result),
    renderLimits(result),
  ];
  return parts.filter((part) => part !== "").join("\n");
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
      ({ endpoint, name, count, figures }) => `| ${endpoint} | ${name} | ${count} | ${figures.join(" | ")} |\n`,
    );
    if (rows.length === 0) return `${head}: ${noLatencyWords(profile)}\n`;
    const names = latencyPercentiles.map((percentile) => `p${percentile}`).join(" | ");
    return `${head}\n\n| Endpoint | Latency of successes | n | ${names} |\n|---|---|---:|---:|---:|---:|\n${rows.join("")}`;
  });
  return blocks.length === 0 ? "" : `### Latency\n\n${blocks.join("\n")}`;
}

/** Gates count these as attempted; why they never left tells whose doing it was. */
function renderNotSent(result: Result): string {
  return (result.load?.profiles ?? [])
    .map((profile) => [profile.id, notSentWords(profile)] as const)
    .filter(([, words]) => words !== "")
    .map(([id, words]) => `${markdownCode(id)} not sent: ${markdownText(words)}\n`)
    .join("\n");
}

function gateRow(gate: GateResult): string {
  const observed = markdownText(observedWords(gate));
  const interval =
    gate.low === null || gate.high === null
      ? "–"
      : markdownText(`${formatFigure(gate.low, gate.unit)} to ${formatFigure(gate.high, gate.unit)}`);
  return `| ${verdictWords[gate.verdict].glyph} ${gate.verdict} | ${markdownCode(gate.expression)} | ${markdownText(formatFigure(gate.bound, gate.unit))} | ${observed} | ${interval} | ${formatPercent(gate.margin)} |\n`;
}

function renderFindings(result: Result, maxFindings: number): string {
  if (result.findings.length === 0) return "";
  const ordered = orderFindings(result.findings);
  const shown = ordered.slice(0, maxFindings).map((finding) => {
    const word = verdictWords[finding.verdict];
    const head = `- ${word.glyph} **${markdownText(finding.id)}** ${finding.baselined ? "(known) " : ""}${markdownText(finding.message)}`;
    const where = [finding.level?.toUpperCase(), finding.requirement, finding.spec]
      .filter((part) => part != null)
      .map((part) => markdownText(part));
    const lines = [
      head,
      `  ${where.join(" · ")}`,
      `  expected ${markdownCode(finding.expected)}, observed ${markdownCode(finding.observed)}`,
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

function renderSuites(result: Result): string {
  const suites = (result.conformance?.suites ?? []).filter((suite) =>
    Object.values(suite.counts).some((level) => Object.keys(level).length > 0),
  );
  if (suites.length === 0) return "";
  const rows = suites.map((suite) => {
    const count = (verdict: keyof typeof verdictWords): number =>
      Object.values(suite.counts).reduce((sum, level) => sum + (level[verdict] ?? 0), 0);
    const word = suiteVerdictWords[suite.verdict];
    return `| ${suite.id} | ${word.glyph} ${word.word} | ${count("pass")} | ${count("fail")} | ${count("advisory")} | ${count("untested") + count("inconclusive")} |\n`;
  });
  return `### Conformance\n\n| Suite | Verdict | Pass | Fail | Advisory | Not judged |\n|---|---|---:|---:|---:|---:|\n${rows.join("")}`;
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
