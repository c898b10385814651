import { describeOvershoot } from "../../core/result/describe-overshoot.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { repeatedId } from "../../core/result/repeated-id.ts";
import type { Result } from "../../core/result/result.ts";
import { listFailures } from "../list-failures.ts";
import { orderFindings } from "../order-findings.ts";
import { countOf, formatUsd } from "../text/format-number.ts";
import { refusalWords } from "../text/latency-rows.ts";
import { limitCheckWords } from "../text/limit-check-words.ts";
import { leftOutLines, overshootLines } from "../text/limit-words.ts";
import { countedWords } from "../text/counted-words.ts";
import {
  cacheAuditWords,
  cacheWords,
  conversationWords,
  leavingWords,
  lengthWords,
  networkWords,
  repeatEndWords,
  repeatLines,
} from "../text/request-words.ts";
import { probeWords } from "../text/probe-words.ts";
import { instrumentDoubts } from "../text/instrument-doubts.ts";
import { notSentWords } from "../text/not-sent-words.ts";
import { scopeLines, unjudgedWords } from "../text/scope-words.ts";
import { stageCounts } from "../text/stage-counts.ts";
import { SummaryWriter } from "./summary-writer.ts";
import type { Screen } from "./screen.ts";

export interface SummaryOptions {
  /** Folder or file to point at in the last line. */
  readonly reportPath?: string | null;
  /** Code that the command exits with, where it is not that of the result. */
  readonly exitCode?: number;
  /** The run was changed after it was made, so that the code is not that of its verdict. */
  readonly isEdited?: boolean;
  /** The verdict alone. */
  readonly quiet?: boolean;
  /** Every finding, and all that would complete the verdict. */
  readonly verbose?: boolean;
}

/** One screen: findings beyond these are counted, and `assay show` lists them. */
const findingsShown = 10;
const findingRows = 24;

/** The verdict last and failures just above it: that is where the eye is when a command ends. */
export function renderSummary(result: Result, screen: Screen, options: SummaryOptions = {}): string {
  const verbose = options.verbose === true;
  const writer = new SummaryWriter(screen);
  const { reportPath = null, exitCode = result.exitCode, isEdited = false } = options;
  if (options.quiet === true) {
    writer.verdict(result, { reportPath, exitCode, isEdited });
    return writer.text();
  }
  writer.target(result);
  const profiles = result.load?.profiles ?? [];
  if (profiles.length > 0) writer.latencies(profiles);
  writeUnexplained(writer, result);
  const show = `assay show ${reportPath === null ? result.runId : folderOf(reportPath)}`;
  const first = writeFindings(writer, result, { verbose, show });
  // Gates that are met make room for what is wrong; they are counted below.
  const gates = profiles.flatMap((profile) => profile.gates).filter(({ verdict }) => first === undefined || verdict !== "pass");
  if (gates.length > 0) writer.gates(gates);
  for (const profile of profiles) writeProfile(writer, profile);
  for (const line of overshootLines(result.limits?.policies ?? [])) writer.plain(line);
  for (const line of leftOutLines(result.limits?.account ?? [])) writer.warning(line);
  for (const reason of result.health.valid ? [] : result.health.reasons) writer.plain(`  measurement: ${reason}`);
  for (const doubt of instrumentDoubts(result.load)) writer.warning(doubt);
  if (first !== undefined && reportPath !== null) writer.hint(nextSteps(first, folderOf(reportPath), result));
  if (result.scope !== null) {
    if (verbose) for (const line of scopeLines(result.scope)) writer.line(line);
    const unjudged = unjudgedWords(result.scope);
    if (unjudged !== null) writer.withCommand(`not judged: ${unjudged}; listed by: ${show} scope`);
  }
  writer.plain(countLine(result));
  writer.verdict(result, { reportPath, exitCode, isEdited });
  return writer.text();
}

function writeUnexplained(writer: SummaryWriter, { limits }: Result): void {
  for (const { id, tier, identification, checks } of limits?.policies ?? []) {
    if (tier !== "unexplained" || identification === null) continue;
    const { because } = identification.refuted.find(({ family }) => family === identification.nearest) ?? { because: null };
    const nearest = identification.nearest === null ? "not even its decisions fit one" : `nearest ${identification.nearest}`;
    const message = checks.find((check) => check.id === "limits.algorithm")?.message ?? "";
    writer.warning(`UNEXPLAINED ${id}: ${because === null ? message : `${nearest}, refuted: ${because}`}`);
  }
}

/** Returns the first failure that can be asked again. */
function writeFindings(
  writer: SummaryWriter,
  result: Result,
  { verbose, show }: { readonly verbose: boolean; readonly show: string },
): Finding | undefined {
  const failures = listFailures(result);
  const others = orderFindings(result.findings).filter((finding) => !failures.includes(finding));
  const chosen = verbose ? failures : chooseFailures(failures);
  const advised = verbose ? others : others.slice(0, Math.min(4, findingsShown - chosen.length));
  for (const finding of advised) writer.advisory(finding);
  if (advised.length > 0) writer.plain("");
  const shown = chosen.length === 0 ? 0 : writer.findings(chosen, verbose ? Infinity : findingRows);
  const unshown = [
    failures.length > shown ? countOf(failures.length - shown, "more failure") : null,
    others.length > advised.length ? countOf(others.length - advised.length, "more advisory", "more advisories") : null,
  ].filter((part) => part !== null);
  if (unshown.length > 0) writer.withCommand(`and ${unshown.join(", ")}; all of them: ${show}`);
  return chosen.find(({ stage }) => stage === "conformance" || stage === "limits" || stage === "load");
}

function writeProfile(writer: SummaryWriter, profile: LoadProfileResult): void {
  const unsent = notSentWords(profile);
  if (unsent !== "") writer.plain(`${profile.id}: not sent: ${unsent}`);
  const conversations = conversationWords(profile);
  if (conversations !== "") writer.plain(`${profile.id}: conversations: ${conversations}`);
  const lengths = lengthWords(profile);
  if (lengths !== "") writer.plain(`${profile.id}: tokens: ${lengths}`);
  const ended = repeatEndWords(profile);
  for (const line of [...repeatLines(profile), ...(ended === "" ? [] : [ended])]) writer.plain(`${repeatedId(profile)}: ${line}`);
  const network = networkWords(profile);
  if (network !== "") writer.plain(`${profile.id}: network round trip: ${network}`);
  const cached = cacheWords(profile);
  if (cached !== "") writer.plain(`${profile.id}: cached: ${cached}`);
  const audit = cacheAuditWords(profile);
  if (profile.cacheAudit?.verdict === "cached") writer.warning(`${profile.id}: ${audit}`);
  else if (audit !== "") writer.plain(`${profile.id}: response cache: ${audit}`);
  const probe = probeWords(profile);
  if (probe !== "") writer.plain(`${profile.id}: probe with ${probe}`);
  const leaving = leavingWords(profile);
  if (leaving !== "") writer.plain(`${profile.id}: clients that leave: ${leaving}`);
  const counted = countedWords(profile);
  if (counted !== "") writer.plain(`${profile.id}: records: ${counted}`);
  for (const words of refusalWords(profile)) writer.plain(`${profile.id}: ${words}`);
  const checks = profile.limitChecks ?? [];
  if (checks.length > 0 && profile.gates.some(({ kind }) => kind === "limits"))
    writer.plain(`${profile.id}: limit checks: ${limitCheckWords(checks)}`);
  for (const { policy, verdict, overshoot } of checks)
    if (overshoot !== undefined && verdict !== "inconclusive")
      writer.plain(`${profile.id}: ${policy}: ${describeOvershoot(overshoot)}`);
  for (const line of leftOutLines(profile.limitAccount ?? [])) writer.warning(`${profile.id}: ${line}`);
  const searched = searchWords(profile);
  if (searched !== "") writer.plain(`${profile.id}: ${searched}`);
}

/** The outcome of a search or a sweep, also where no level holds; empty where levels have no verdict. */
function searchWords({ capacity, knee, steps }: LoadProfileResult): string {
  if (capacity !== undefined) return capacity.reason;
  if (knee !== null) return knee.reason;
  return steps.some(({ verdict }) => verdict === "fail") ? "no level that was tried met the service level" : "";
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
  return [...new Set([...firsts, ...failures])].slice(0, findingsShown);
}

function folderOf(reportPath: string): string {
  return reportPath.replace(/\/?[^/]*$/, "") || ".";
}

/** Commands to type next, for the first failure that can be asked again. */
function nextSteps(finding: Finding, folder: string, { command, target }: Result): readonly string[] {
  // The command names the target of the run as the run found it: a saved folder alone must not say where keys are sent.
  const at = command.findIndex((word) => word === "--config");
  const asked = command.some((word) => word === "--base-url" || word.startsWith("--base-url="));
  const where = asked ? ` --base-url ${target.baseUrl}` : at >= 0 ? ` --config ${command[at + 1] ?? ""}` : "";
  const replay = `assay replay ${folder} ${finding.id}${where}`;
  return finding.requirement === null ? [replay] : [replay, `assay explain ${finding.requirement}`];
}

function countLine(result: Result): string {
  const { conformance, limits, load } = stageCounts(result);
  const parts = [
    conformance,
    limits === null ? null : `limits ${limits}`,
    load === null ? null : `load ${load}`,
    countOf(result.spent.requests, "request"),
    // The reference service costs nothing.
    result.target.server === "reference service" ? null : formatUsd(result.spent.estimatedUsd),
  ];
  return parts.filter((part) => part !== null).join("  ");
}
