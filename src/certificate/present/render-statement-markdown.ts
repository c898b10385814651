import { markdownText } from "../../report/escape/markdown.ts";
import type { StatementReport } from "./statement-report.ts";

/** The statement as one page of Markdown. */
export function renderStatementMarkdown(report: StatementReport): string {
  const list = (title: string, items: readonly string[]): readonly string[] =>
    items.length === 0 ? [] : [`## ${title}`, "", ...items.map((item) => `- ${markdownText(item)}`), ""];
  return [
    `# ${markdownText(report.title)}`,
    "",
    "| | |",
    "|---|---|",
    ...report.facts.map(([name, value]) => `| ${name} | ${markdownText(value)} |`),
    "",
    ...list("Of the policy not met", report.unmet),
    ...list("Not judged", report.notJudged),
    ...list("Checked", report.checked),
    ...list("Not checked", report.notChecked),
  ].join("\n");
}
