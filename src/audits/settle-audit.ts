import { join } from "node:path";
import type { Finding } from "../core/result/finding.ts";
import { exitCodes } from "../core/result/verdict.ts";
import type { ChecklistItem } from "../report/checklist.ts";
import { terminalText } from "../report/escape/terminal.ts";
import type { RunOutcome } from "../run/execute-run.ts";
import { AuditFailure } from "./audit-failure.ts";
import type { AuditOutcome } from "./audit.ts";

/** From what a run says of the items behind one audit to the outcome of a test; throws an AuditFailure. `absent`: why there may be none. */
export function settleAudit(items: readonly ChecklistItem[], absent: string, { result, folder }: RunOutcome): AuditOutcome {
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

export function describeFinding(finding: Finding): string {
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

export function describeItem({ name, title, verdict, message }: ChecklistItem): string {
  return terminalText(`${name} ${verdict}: ${message ?? title}`);
}

function describeOpen({ verdict, message, baselined }: ChecklistItem): string {
  const reason = message ?? "no reason is given";
  return terminalText(baselined ? `known failure of the baseline: ${reason}` : `${verdict}: ${reason}`);
}
