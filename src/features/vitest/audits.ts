import { join } from "node:path";
import { limitPolicies } from "../../core/result/checks/limit-policies.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { Result } from "../../core/result/result.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import { buildChecklist, type ChecklistItem } from "../../report/checklist.ts";
import { terminalText } from "../../report/escape/terminal.ts";
import type { RunOutcome } from "../../run/execute-run.ts";
import { readRunRequest } from "../../run/request/read-run-request.ts";
import { run } from "../../run/run.ts";
import type { RunRequest } from "../../run/request/run-request.ts";
import { selectRows, selectSuites } from "../../run/select-suites.ts";
import { readCatalogue } from "../../schemas/read-catalogue.ts";
import { AuditFailure } from "./audit-failure.ts";
import type { Audit, AuditOutcome } from "./audit.ts";

/**
 * The audits of a run with these options, as a list for any test runner: one audit a requirement, one a limit policy, one a
 * gate, and `complete`. Nothing is sent until the first of them runs; all share one run. At least one audit fails exactly when
 * the exit code of the run is not 0. Throws a ConfigError or ProfileError where the request cannot be used.
 */
export function audits(request: RunRequest = {}): readonly Audit[] {
  const options = readRunRequest({ ...request, onProgress: () => {} });
  const { stages, profiles } = options;
  let started: Promise<Judged> | null = null;
  const start = (): Promise<Judged> =>
    (started ??= run(request).then((outcome) => ({ outcome, items: buildChecklist(outcome.result) })));
  const claims: Claim[] = [];
  if (stages.includes("conformance") || stages.includes("limits")) {
    const judged = selectSuites(options);
    const rows = selectRows(options);
    const asked = readCatalogue().filter(({ id, suite }) => judged.includes(suite) && (rows === null || rows.has(id)));
    for (const { id, suite, level, text } of asked) {
      const title = level === "must" ? text : `${level}: ${text}`;
      claims.push({
        suite: `conformance.${suite}`,
        name: id,
        title,
        covers: (item) => item.suite === `conformance.${suite}` && item.name === id,
      });
    }
  }
  if (stages.includes("limits")) {
    for (const [kind, { title }] of Object.entries(limitPolicies)) {
      const covers: Claim["covers"] = ({ suite }, { limits }) =>
        limits?.policies.some((policy) => policy.kind === kind && suite === `limits.${policy.id}`) ?? false;
      claims.push({ suite: "limits", name: kind, title, covers });
    }
  }
  for (const { profile } of profiles) {
    const suite = `load.${profile.id}`;
    for (const { expression } of profile.gates) {
      claims.push({
        suite,
        name: expression,
        title: expression,
        covers: (item) => item.suite === suite && item.title === expression,
      });
    }
  }
  const list = claims.map((claim): Audit => ({
    id: `${claim.suite}/${claim.name}`,
    suite: claim.suite,
    title: claim.title,
    run: async () => {
      const { items, outcome } = await start();
      return settleAudit(
        items.filter((item) => claim.covers(item, outcome.result)),
        absence(claim, outcome),
        outcome,
      );
    },
  }));
  return [...list, { id: "complete", suite: "assay", title: "complete", run: async () => settleComplete(await start(), claims) }];
}

interface Claim {
  readonly suite: string;
  readonly name: string;
  readonly title: string;
  covers(item: ChecklistItem, result: Result): boolean;
}

interface Judged {
  readonly outcome: RunOutcome;
  readonly items: readonly ChecklistItem[];
}

function absence({ suite }: Claim, { result }: RunOutcome): string {
  const reasons = suite === "limits" ? (result.limits?.notJudged ?? []).map(({ policy, reason }) => `${policy}: ${reason}`) : [];
  return reasons.length > 0 ? `not judged (${reasons.join("; ")})` : `not judged: ${result.reason}`;
}

/** Fails where the run as a whole did not say what it was asked for, and on every failure that no other audit shows. */
function settleComplete({ outcome, items }: Judged, claims: readonly Claim[]): AuditOutcome {
  const { result, folder, reports, unrestored } = outcome;
  const open = items.filter((item) => item.outcome === "error");
  const isShown = (item: ChecklistItem): boolean => claims.some((claim) => claim.covers(item, result));
  const failed = items.filter((item) => item.outcome === "failed");
  const listed = new Set(failed.filter(isShown).flatMap(({ findings }) => findings));
  const unseen = result.findings.filter(
    ({ id, verdict, baselined }) => !baselined && (verdict === "fail" || result.strict) && !listed.has(id),
  );
  const lost = reports
    .filter(({ problem, sent }) => problem !== null && !sent)
    .map(({ name, problem }) => `the reporter ${name} failed: ${problem}`);
  const problems = [...open.map(describeItem), ...unseen.map(describeFinding), ...lost, ...unrestored];
  // A code that nothing above explains must not end green.
  if (problems.length === 0 && result.exitCode !== exitCodes.met && !failed.some(isShown)) problems.push(result.reason);
  const isDecided = result.exitCode === exitCodes.met && lost.length + unrestored.length === 0;
  if (problems.length === 0 || isDecided) return { outcome: "passed", note: result.reason };
  const shown = problems.slice(0, 50).map((text) => `- ${text}`);
  if (problems.length > shown.length) shown.push(`- and ${problems.length - shown.length} more`);
  throw new AuditFailure(
    [`the run does not say all that it was asked for (exit code ${result.exitCode}):`, ...shown, `run: ${folder}`].join("\n"),
    unseen.map(({ id }) => id),
  );
}

/** Turns the items behind one audit into the outcome of a test; throws an AuditFailure. `absent`: why there may be none. */
function settleAudit(items: readonly ChecklistItem[], absent: string, { result, folder }: RunOutcome): AuditOutcome {
  const failed = items.filter(({ outcome }) => outcome === "failed");
  // A known failure, or the overlay beside the specification: the run has decided that it does not count.
  if (failed.length > 0 && result.exitCode === exitCodes.met) {
    return { outcome: "skipped", reason: `violated, but it does not decide this run: ${failed.map(describeItem).join("; ")}` };
  }
  if (failed.length > 0) {
    const ids = [...new Set(failed.flatMap(({ findings }) => findings))];
    const findings = result.findings.filter(({ id }) => ids.includes(id));
    const texts = findings.length > 0 ? findings.map(describeFinding) : failed.map(describeItem);
    throw new AuditFailure([...texts, `report: ${join(folder, "report.html")}`].join("\n"), ids);
  }
  const open = items.filter(({ outcome }) => outcome === "error" || outcome === "skipped");
  if (items.length === 0) return { outcome: "skipped", reason: absent };
  // Of several, one that was judged is an answer; what is open beside it stays visible in the note.
  if (open.length === items.length) return { outcome: "skipped", reason: open.map(describeOpen).join("; ") };
  const notes = items.filter(({ verdict }) => verdict !== "pass").map(describeItem);
  return { outcome: "passed", note: notes.length === 0 ? null : notes.join("; ") };
}

function describeFinding(finding: Finding): string {
  const { id, requirement, check, message, expected, observed, spec, exchanges, curl } = finding;
  const lines = [`${id} ${requirement ?? check}: ${message}`, `  expected: ${expected}`, `  observed: ${observed}`];
  if (spec !== null) lines.push(`  specification: ${spec}`);
  if (exchanges.length > 0)
    lines.push(
      `  evidence: ${exchanges
        .slice(0, 12)
        .map((seq) => `#${seq}`)
        .join(" ")} in evidence.ndjson`,
    );
  if (curl !== null) lines.push(...curl.split("\n").map((line) => `  ${line}`));
  return lines.map(terminalText).join("\n");
}

function describeItem({ name, title, verdict, message }: ChecklistItem): string {
  return terminalText(`${name} ${verdict}: ${message ?? title}`);
}

function describeOpen({ verdict, message, baselined }: ChecklistItem): string {
  const reason = message ?? "no reason is given";
  return terminalText(baselined ? `known failure of the baseline: ${reason}` : `${verdict}: ${reason}`);
}
