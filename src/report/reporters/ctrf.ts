import type { Finding } from "../../core/result/finding.ts";
import type { Result } from "../../core/result/result.ts";
import { buildChecklist, type ChecklistItem } from "../checklist.ts";
import { failOnce } from "../fail-once.ts";
import { clip, clipStrings } from "../escape/clip.ts";
import { safeJson } from "../escape/json.ts";
import { showInvisible } from "../escape/visible.ts";

type Status = "passed" | "failed" | "skipped" | "pending" | "other";

const statuses: Readonly<Record<ChecklistItem["outcome"], Status>> = {
  passed: "passed",
  failed: "failed",
  // Consumers look at failed tests alone: a run without a verdict must not look green.
  error: "failed",
  skipped: "skipped",
};

/** Common Test Report Format 1.0.0 (ctrf.io). Our own verdict stands in `rawStatus`. */
export function renderCtrf(full: Result): string {
  const result = clipStrings(full, 2_000);
  const items = failOnce(buildChecklist(result), result);
  const byId = new Map(result.findings.map((finding) => [finding.id, finding]));
  const tests = items.map((item) => describeTest(item, byId));
  const count = (status: Status): number => tests.filter((test) => test.status === status).length;
  const start = Date.parse(result.startedAt);
  const report = {
    reportFormat: "CTRF",
    specVersion: "1.0.0",
    generatedBy: `assay ${result.tool.version}`,
    results: {
      tool: { name: "assay", version: result.tool.version },
      summary: {
        tests: tests.length,
        passed: count("passed"),
        failed: count("failed"),
        skipped: count("skipped"),
        pending: count("pending"),
        other: count("other"),
        suites: new Set(items.map((item) => item.suite)).size,
        start,
        stop: start + Math.round(result.durationMs),
        duration: Math.round(result.durationMs),
        extra: { verdict: result.verdict, exitCode: result.exitCode, reason: showInvisible(result.reason) },
      },
      tests,
      environment: {
        testEnvironment: showInvisible(result.target.name),
        extra: {
          baseUrl: showInvisible(result.target.baseUrl),
          node: result.tool.node,
          platform: result.tool.platform,
          runId: result.runId,
          seed: result.seed,
        },
      },
    },
  };
  return `${safeJson(report, 2)}\n`;
}

interface CtrfTest {
  readonly status: Status;
  readonly [member: string]: unknown;
}

function describeTest(item: ChecklistItem, byId: ReadonlyMap<string, Finding>): CtrfTest {
  const findings = item.findings.map((id) => byId.get(id)).filter((finding) => finding !== undefined);
  const message = item.verdict === "pass" ? null : (findings[0]?.message ?? item.message);
  const trace = findings
    .map(
      (finding) =>
        `${finding.id} expected ${finding.expected}; observed ${finding.observed}${finding.curl === null ? "" : `\n${finding.curl}`}`,
    )
    .join("\n");
  return {
    name: showInvisible(clip(`${item.name} ${item.title}`, 300)),
    status: statuses[item.outcome],
    duration: 0,
    suite: item.suite.split("."),
    rawStatus: item.baselined ? `${item.verdict} (baseline)` : item.verdict,
    ...(message !== null && { message: showInvisible(clip(message, 1_000)) }),
    ...(trace !== "" && { trace: showInvisible(clip(trace, 4_000), { keepLines: true }) }),
    ...(item.findings.length > 0 && { tags: item.findings }),
  };
}
