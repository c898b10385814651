import type { LimitCheckId } from "../../core/checks/limit-check.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { GateResult } from "../../core/result/gate-result.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import type { Result } from "../../core/result/result.ts";
import { displayWidth, fitWidth, terminalText } from "../escape/terminal.ts";
import { orderFindings } from "../order-findings.ts";
import { countOf, formatDuration, formatNumber, formatPercent, formatUsd } from "../text/format-number.ts";
import { latencyPercentiles, latencyRows, noLatencyWords, outcomeWords } from "../text/latency-rows.ts";
import { alsoWords, findingTitle, otherForms } from "../text/finding-words.ts";
import { limitCheckWords } from "../text/limit-check-words.ts";
import { countedWords } from "../text/counted-words.ts";
import { notSentWords } from "../text/not-sent-words.ts";
import { runVerdictWord, type Tone, type VerdictWord, verdictWords } from "../text/verdict-word.ts";
import { observedWords } from "../text/observed-words.ts";
import { scopeCaveat, type ScopeLine, scopeLines } from "../text/scope-words.ts";
import { stageCounts } from "../text/stage-counts.ts";
import { plainText } from "./plain-text.ts";
import { wrapText } from "./wrap-text.ts";
import type { Paint, Screen } from "./screen.ts";

export interface SummaryOptions {
  /** Folder or file to point at in the last line. */
  readonly reportPath?: string | null;
  /** Findings shown in full; the rest is counted. */
  readonly maxFindings?: number;
  /** Code that the command exits with, where it is not that of the result. */
  readonly exitCode?: number;
  /** The verdict alone. */
  readonly quiet?: boolean;
  /** Every finding, and all that would complete the verdict. */
  readonly verbose?: boolean;
}

const toneStyles: Readonly<Record<Tone, Paint>> = { pass: "green", fail: "red", warn: "yellow", open: "magenta", plain: "dim" };

/** The verdict last and failures just above it: that is where the eye is when a command ends. */
export function renderSummary(result: Result, screen: Screen, options: SummaryOptions = {}): string {
  const verbose = options.verbose === true;
  const maxFindings = options.maxFindings ?? (verbose ? Number.POSITIVE_INFINITY : 6);
  const writer = createWriter(screen);
  const exitCode = options.exitCode ?? result.exitCode;
  if (options.quiet === true) {
    writer.verdict(result, options.reportPath ?? null, exitCode);
    return writer.text();
  }
  const ordered = orderFindings(result.findings);
  const failures = ordered.filter((finding) => finding.verdict === "fail" && !finding.baselined);
  const others = ordered.filter((finding) => !failures.includes(finding));

  const profiles = result.load?.profiles ?? [];
  if (profiles.length > 0) writer.latencies(profiles);
  for (const { id, tier, identification, checks } of result.limits?.policies ?? []) {
    if (tier !== "unexplained" || identification === null) continue;
    const { because } = identification.refuted.find(({ family }) => family === identification.nearest) ?? { because: null };
    const nearest = identification.nearest === null ? "not even its decisions fit one" : `nearest ${identification.nearest}`;
    const message = checks.find((check) => check.id === ("limits.algorithm" satisfies LimitCheckId))?.message ?? "";
    writer.warning(`UNEXPLAINED ${id}: ${because === null ? message : `${nearest}, refuted: ${because}`}`);
  }
  for (const finding of others.slice(0, 4)) writer.advisory(finding);
  if (others.length > 4) writer.plain(`  and ${countOf(others.length - 4, "more advisory", "more advisories")}`);
  const shown = chooseFailures(failures, maxFindings);
  for (const finding of shown) writer.failure(finding);
  const unshown = failures.length - shown.length;
  if (unshown > 0) writer.plain(`  and ${countOf(unshown, "more failure")}, all in the report`);
  const gates = profiles.flatMap((profile) => profile.gates);
  if (gates.length > 0) writer.gates(gates);
  for (const profile of profiles) {
    const unsent = notSentWords(profile);
    if (unsent !== "") writer.plain(`${profile.id}: not sent: ${unsent}`);
    const counted = countedWords(profile);
    if (counted !== "") writer.plain(`${profile.id}: records: ${counted}`);
    const checks = profile.limitChecks ?? [];
    if (checks.length > 0 && profile.gates.some(({ kind }) => kind === "limits"))
      writer.plain(`${profile.id}: limit checks: ${limitCheckWords(checks)}`);
    if (profile.knee !== null) writer.plain(`${profile.id}: ${profile.knee.reason}`);
  }
  for (const reason of result.health.valid ? [] : result.health.reasons) writer.plain(`  measurement: ${reason}`);
  for (const doubt of result.load?.calibration?.doubts ?? []) writer.warning(doubt);
  const again = shown.find(({ stage }) => stage === "conformance" || stage === "limits" || stage === "load");
  if (again !== undefined && options.reportPath != null) writer.hint(nextSteps(again, options.reportPath, result));
  if (result.scope !== null) for (const line of scopeLines(result.scope, verbose)) writer.line(line);
  writer.plain(countLine(result));
  writer.verdict(result, options.reportPath ?? null, exitCode);
  return writer.text();
}

/** One for each requirement or check before a second of any, so that a screen shows the breadth of what is wrong. */
function chooseFailures(failures: readonly Finding[], limit: number): readonly Finding[] {
  const seen = new Set<string>();
  const firsts = failures.filter((finding) => {
    const subject = finding.requirement ?? finding.check;
    const isNew = !seen.has(subject);
    seen.add(subject);
    return isNew;
  });
  const chosen = new Set([...new Set([...firsts, ...failures])].slice(0, limit));
  return failures.filter((finding) => chosen.has(finding));
}

interface SummaryWriter {
  failure(finding: Finding): void;
  advisory(finding: Finding): void;
  latencies(profiles: readonly LoadProfileResult[]): void;
  gates(gates: readonly GateResult[]): void;
  plain(text: string): void;
  warning(text: string): void;
  /** Commands to type next. */
  hint(commands: readonly string[]): void;
  /** Prints the line as it is, cut to the width of the screen. */
  line(line: ScopeLine): void;
  verdict(result: Result, reportPath: string | null, exitCode: number): void;
  text(): string;
}

function createWriter(screen: Screen): SummaryWriter {
  const lines: string[] = [];
  const ellipsis = screen.unicode ? "…" : "...";
  const clean = (text: string): string => plainText(terminalText(text), screen);
  const fit = (text: string, columns = screen.width): string => fitWidth(clean(text), columns, ellipsis);
  const glyph = (word: VerdictWord): string => (screen.unicode ? word.glyph : word.ascii);
  const wrapped = (first: string, text: string, maxLines: number): readonly string[] =>
    wrapText(clean(text), screen.width, first, maxLines, ellipsis);

  /** The lines after the first are indented. */
  const hanging = (text: string): readonly string[] => {
    const [first = "", ...rest] = wrapped("  ", text, 3);
    return [first.trimStart(), ...rest];
  };

  return {
    failure: (finding) => {
      const head = `${glyph(verdictWords.fail)} ${findingTitle(finding)}`;
      const level = finding.level === null ? "" : `  ${finding.level.toUpperCase()}`;
      const spec = finding.spec === null ? "" : `  ${finding.spec}`;
      lines.push(
        screen.paint("red", fit(head + level)) +
          screen.paint("dim", fit(spec, Math.max(0, screen.width - displayWidth(clean(head + level))))),
      );
      lines.push(...wrapped("  ", finding.message, 3));
      if (finding.sent !== null) lines.push(fit(`  sent     ${finding.sent}`));
      lines.push(fit(`  expected ${finding.expected}`), fit(`  observed ${finding.observed}`));
      const others = otherForms(finding);
      if (others[0] !== undefined) {
        const count = others.length > 1 ? ` (and ${others.length - 1} more)` : "";
        lines.push(fit(`  and      ${others[0].sent}: ${others[0].observed}${count}`));
      }
      const also = alsoWords(finding);
      if (also !== null) lines.push(fit(`  ${also}`));
      if (finding.exchanges.length > 0) {
        const cited = finding.exchanges.slice(0, 5).map((seq) => `#${seq}`);
        lines.push(screen.paint("dim", fit(`  evidence ${cited.join(" ")}`)));
      }
      lines.push("");
    },
    advisory: (finding) => {
      const word = finding.baselined ? { ...verdictWords.advisory, word: "known" } : verdictWords.advisory;
      const text = `${glyph(word)} ${finding.id} ${word.word}: ${finding.message}`;
      lines.push(...hanging(text).map((line) => screen.paint("yellow", line)));
    },
    latencies: (profiles) => {
      // Every percentile stands on the narrowest screen: names are cut, and the count makes room.
      const [countWidth, figureWidth] = screen.width >= 80 ? [8, 10] : screen.width >= 60 ? [6, 8] : [0, 8];
      const nameWidth = Math.min(42, screen.width - countWidth - figureWidth * latencyPercentiles.length);
      const row = (name: string, count: string, figures: readonly string[]): string =>
        [
          fitWidth(clean(name).padEnd(nameWidth), nameWidth, ellipsis),
          countWidth === 0 ? "" : count.padStart(countWidth),
          ...figures.map((figure) => clean(figure).padStart(figureWidth)),
        ].join("");
      const percentileNames = latencyPercentiles.map((each) => `p${each}`);
      lines.push(screen.paint("dim", fit(row("LATENCY OF SUCCESSES, ms", "n", percentileNames))));
      for (const profile of profiles) {
        const outcomes = outcomeWords(profile);
        lines.push(...wrapped("", `${profile.id}  ${profile.arrivals}${outcomes === "" ? "" : `: ${outcomes}`}`, 2));
        const rows = latencyRows(profile);
        if (rows.length === 0) lines.push(fit(`  ${noLatencyWords(profile)}`));
        for (const [index, { endpoint, name, count, figures }] of rows.entries()) {
          const start = rows[index - 1]?.endpoint === endpoint ? "" : endpoint;
          if (screen.width < 80 && start !== "") lines.push(fit(`  ${start}`));
          const label = screen.width < 80 ? `    ${name}` : `${`  ${start}`.padEnd(16)} ${name}`;
          lines.push(
            row(
              label,
              String(count),
              figures.map((figure) => formatNumber(figure)),
            ),
          );
        }
      }
      const all = profiles.flatMap(latencyRows).flatMap(({ figures }) => figures);
      if (all.includes(null)) lines.push(screen.paint("dim", fit("  – fewer samples than this percentile needs")));
      lines.push("");
    },
    gates: (gates) => {
      lines.push(screen.paint("dim", fit("GATE                                        OBSERVED          MARGIN")));
      for (const gate of gates) {
        const word = verdictWords[gate.verdict];
        // Neither met nor missed: the reason stands where the margin would, beneath where it does not fit.
        const reason = gate.margin === null ? gate.reason : null;
        const invalid = reason !== null && gate.doubt === "run-invalid";
        const margin = invalid ? "run invalid" : reason === null ? formatPercent(gate.margin, 0) : "";
        const text = `${glyph(word)} ${clean(gate.expression).padEnd(41)} ${clean(observedWords(gate)).padEnd(17)} ${margin}`;
        lines.push(screen.paint(toneStyles[word.tone], fit(text.trimEnd())));
        if (reason !== null && !invalid) lines.push(...wrapped("    ", reason, 3).map((line) => screen.paint("dim", line)));
      }
      lines.push("");
    },
    plain: (text) => lines.push(...wrapped("", text, 3)),
    warning: (text) => {
      lines.push(...hanging(`${glyph(verdictWords.advisory)} ${text}`).map((line) => screen.paint("yellow", line)));
    },
    // Commands are never cut, as they are typed again.
    hint: (commands) => {
      lines.push(...commands.map((each, index) => screen.paint("dim", clean(`${index === 0 ? "next:" : "     "} ${each}`))), "");
    },
    line: ({ text, dim }) => lines.push(dim ? screen.paint("dim", fit(text)) : fit(text)),
    verdict: (result, reportPath, exitCode) => {
      const word = runVerdictWord(result);
      const failed = result.findings.filter((finding) => finding.verdict === "fail" && !finding.baselined).length;
      const facts = [`exit ${exitCode}`, countOf(failed, "failure"), formatDuration(result.durationMs)];
      const isWritten = exitCode === result.exitCode;
      const said = isWritten ? word.word.toUpperCase() : `${word.word.toUpperCase()}, A REPORT IS MISSING`;
      const head = `${glyph(isWritten ? word : verdictWords.fail)} ${said}  ${facts.join(screen.unicode ? " · " : ", ")}`;
      lines.push(...wrapped("", result.reason, 4));
      const caveat = result.scope === null ? null : scopeCaveat(result.scope);
      if (caveat !== null) lines.push(...wrapped("", caveat, 3));
      if (!isWritten) lines.push(fit("a report that was asked for could not be written"));
      if (reportPath !== null) lines.push(screen.paint("dim", clean(reportPath)));
      lines.push(screen.paint(toneStyles[isWritten ? word.tone : "fail"], screen.paint("bold", fit(head))));
    },
    text: () => `${lines.join("\n")}\n`,
  };
}

/** Commands to type next, for the first failure that can be asked again. */
function nextSteps(finding: Finding, reportPath: string, { command, target }: Result): readonly string[] {
  const folder = reportPath.replace(/\/?[^/]*$/, "") || ".";
  // Where the run found its target: a saved folder alone must not say where keys are sent.
  const at = command.findIndex((word) => word === "--config");
  const asked = command.some((word) => word === "--base-url" || word.startsWith("--base-url="));
  const where = asked ? ` --base-url ${target.baseUrl}` : at >= 0 ? ` --config ${command[at + 1] ?? ""}` : "";
  const replay = `assay replay ${folder} ${finding.id}${where}`;
  return finding.requirement === null ? [replay] : [replay, `assay explain ${finding.requirement}`];
}

function countLine(result: Result): string {
  const { conformance, limits, load } = stageCounts(result);
  const parts = [conformance, limits === null ? null : `limits ${limits}`, load === null ? null : `load ${load}`];
  const sent = `${countOf(result.spent.requests, "request")}, ${formatUsd(result.spent.estimatedUsd)}`;
  return [...parts.filter((part) => part !== null), sent].join("  ");
}
