import { groupBy } from "../../core/group-by.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { Result } from "../../core/result/result.ts";
import { buildChecklist, type ChecklistItem } from "../checklist.ts";
import { failOnce } from "../fail-once.ts";
import { clip, clipStrings } from "../escape/clip.ts";
import { alsoWords } from "../text/finding-words.ts";
import { escapeXml } from "../escape/xml.ts";
import { stageCounts } from "../text/stage-counts.ts";

/**
 * JUnit XML as GitLab, Jenkins and GitHub actions read it: `classname` is the suite (GitLab shows it in place of the
 * suite's name), names are unique (GitLab keeps only the first of equal names), a skip carries its reason as attribute and as
 * text (Jenkins shows one, others the other), no CDATA. A failure or an error stands in it exactly where the exit code is not 0:
 * what is inconclusive is an error where the run has no verdict without it, else it is skipped like what is untested or
 * a known failure of the baseline; advisory and observed pass with the message in system-out. Only the whole has a time: many
 * exchanges of a run judge many requirements together.
 */
export function renderJunit(full: Result): string {
  const result = clipStrings(full, 2_000);
  const items = failOnce(buildChecklist(result), result);
  const byId = new Map(result.findings.map((finding) => [finding.id, finding]));
  const seconds = (result.durationMs / 1000).toFixed(3);
  const body = [...groupBy(items, ({ suite }) => suite)]
    .map(([name, members]) =>
      renderSuite(name, members, byId, { startedAt: result.startedAt, properties: propertiesOf(name, result) }),
    )
    .join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="assay" ${tally(items)} time="${seconds}">\n${body}</testsuites>\n`;
}

function tally(items: readonly ChecklistItem[]): string {
  const count = (outcome: ChecklistItem["outcome"]): number => items.filter((item) => item.outcome === outcome).length;
  return `tests="${items.length}" failures="${count("failed")}" errors="${count("error")}" skipped="${count("skipped")}"`;
}

function renderSuite(
  name: string,
  items: readonly ChecklistItem[],
  byId: ReadonlyMap<string, Finding>,
  { startedAt, properties }: { readonly startedAt: string; readonly properties: string },
): string {
  const cases = items.map((item) => renderCase(item, byId)).join("");
  return `<testsuite name="${escapeXml(name)}" ${tally(items)} timestamp="${escapeXml(startedAt)}">\n${properties}${cases}</testsuite>\n`;
}

/** A test report counts test cases: what each stage counts, scope first, stands beside them. */
function propertiesOf(suite: string, result: Result): string {
  if (suite !== "harness") return "";
  const { name, baseUrl } = result.target;
  const values: readonly (readonly [string, string | null])[] = [
    ["target", name],
    ["base-url", baseUrl],
    ...Object.entries(stageCounts(result)),
  ];
  const properties = values.flatMap(([property, value]) =>
    value === null ? [] : [`<property name="${property}" value="${escapeXml(value)}"/>\n`],
  );
  return `<properties>\n${properties.join("")}</properties>\n`;
}

function renderCase(item: ChecklistItem, byId: ReadonlyMap<string, Finding>): string {
  const open = `<testcase classname="${escapeXml(item.suite)}" name="${escapeXml(`${item.name} ${clip(item.title, 200)}`)}">`;
  const findings = item.findings.map((id) => byId.get(id)).filter((finding) => finding !== undefined);
  const inside = renderOutcome(item, findings);
  return inside === "" ? `${open}</testcase>\n` : `${open}\n${inside}</testcase>\n`;
}

function renderOutcome(item: ChecklistItem, findings: readonly Finding[]): string {
  const message = clip(findings[0]?.message ?? item.message ?? item.verdict, 500);
  const detail = findings.map(describeFinding).join("\n");
  const element = (name: string, type: string, text: string): string =>
    `<${name} message="${escapeXml(message)}" type="${type}">${escapeXml(text)}</${name}>\n`;
  switch (item.outcome) {
    case "failed":
      return element("failure", item.verdict, detail === "" ? message : detail);
    case "error":
      return element("error", "inconclusive", item.message ?? message);
    case "skipped": {
      const reason = escapeXml(
        item.baselined ? `known failure in the baseline: ${message}` : `${item.verdict}: ${item.message ?? "no reason given"}`,
      );
      return `<skipped message="${reason}">${reason}</skipped>\n`;
    }
    case "passed":
      break;
  }
  if (item.verdict === "pass") return "";
  return `<system-out>${escapeXml(`${item.verdict}: ${detail === "" ? message : detail}`)}</system-out>\n`;
}

function describeFinding(finding: Finding): string {
  const lines = [`${finding.id} ${finding.message}`, `expected: ${finding.expected}`, `observed: ${finding.observed}`];
  const also = alsoWords(finding);
  if (also !== null) lines.push(also);
  if (finding.spec !== null) lines.push(`specification: ${finding.spec}`);
  if (finding.exchanges.length > 0)
    lines.push(
      `evidence.ndjson: ${finding.exchanges
        .slice(0, 12)
        .map((seq) => `#${seq}`)
        .join(" ")}`,
    );
  if (finding.curl !== null) lines.push(finding.curl);
  return lines.map((text) => clip(text, 2_000)).join("\n");
}
