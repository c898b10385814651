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
    ...report.lists.flatMap(({ title, items }) => list(title, items)),
  ].join("\n");
}
