import type { Finding } from "../../core/result/finding.ts";
import type { Result } from "../../core/result/result.ts";
import { orderFindings } from "../order-findings.ts";
import { countOf, formatUsd } from "../text/format-number.ts";
import { limitCheckWords } from "../text/limit-check-words.ts";
import { countedWords } from "../text/counted-words.ts";
import { conversationWords } from "../text/request-words.ts";
import { notSentWords } from "../text/not-sent-words.ts";
import { scopeLines } from "../text/scope-words.ts";
import { stageCounts } from "../text/stage-counts.ts";
import { SummaryWriter } from "./summary-writer.ts";
import type { Screen } from "./screen.ts";

export interface SummaryOptions {
  /** Folder or file to point at in the last line. */
  readonly reportPath?: string | null;
  /** Code that the command exits with, where it is not that of the result. */
  readonly exitCode?: number;
  /** The verdict alone. */
  readonly quiet?: boolean;
  /** Every finding, and all that would complete the verdict. */
  readonly verbose?: boolean;
}

/** Failures that are shown in full; the rest is counted. */
const failuresShown = 6;

/** The verdict last and failures just above it: that is where the eye is when a command ends. */
export function renderSummary(result: Result, screen: Screen, options: SummaryOptions = {}): string {
  const verbose = options.verbose === true;
  const writer = new SummaryWriter(screen);
  const exitCode = options.exitCode ?? result.exitCode;
  if (options.quiet === true) {
    writer.verdict(result, options.reportPath ?? null, exitCode);
    return writer.text();
  }
  writer.target(result);
  const ordered = orderFindings(result.findings);
  const failures = ordered.filter((finding) => finding.verdict === "fail" && !finding.baselined);
  const others = ordered.filter((finding) => !failures.includes(finding));

  const profiles = result.load?.profiles ?? [];
  if (profiles.length > 0) writer.latencies(profiles);
  for (const { id, tier, identification, checks } of result.limits?.policies ?? []) {
    if (tier !== "unexplained" || identification === null) continue;
    const { because } = identification.refuted.find(({ family }) => family === identification.nearest) ?? { because: null };
    const nearest = identification.nearest === null ? "not even its decisions fit one" : `nearest ${identification.nearest}`;
    const message = checks.find((check) => check.id === "limits.algorithm")?.message ?? "";
    writer.warning(`UNEXPLAINED ${id}: ${because === null ? message : `${nearest}, refuted: ${because}`}`);
  }
  for (const finding of others.slice(0, 4)) writer.advisory(finding);
  if (others.length > 4) writer.plain(`  and ${countOf(others.length - 4, "more advisory", "more advisories")}`);
  const shown = verbose ? failures : chooseFailures(failures);
  for (const finding of shown) writer.failure(finding);
  const unshown = failures.length - shown.length;
  if (unshown > 0) writer.plain(`  and ${countOf(unshown, "more failure")}, all in the report`);
  const gates = profiles.flatMap((profile) => profile.gates);
  if (gates.length > 0) writer.gates(gates);
  for (const profile of profiles) {
    const unsent = notSentWords(profile);
    if (unsent !== "") writer.plain(`${profile.id}: not sent: ${unsent}`);
    const conversations = conversationWords(profile);
    if (conversations !== "") writer.plain(`${profile.id}: conversations: ${conversations}`);
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
function chooseFailures(failures: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  const firsts = failures.filter((finding) => {
    const subject = finding.requirement ?? finding.check;
    const isNew = !seen.has(subject);
    seen.add(subject);
    return isNew;
  });
  const chosen = new Set([...new Set([...firsts, ...failures])].slice(0, failuresShown));
  return failures.filter((finding) => chosen.has(finding));
}

/** Commands to type next, for the first failure that can be asked again. */
function nextSteps(finding: Finding, reportPath: string, { command, target }: Result): readonly string[] {
  const folder = reportPath.replace(/\/?[^/]*$/, "") || ".";
  // The command names the target of the run as the run found it: a saved folder alone must not say where keys are sent.
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
