import { escapeHtml } from "../../../report/escape/html.ts";
import { markdownText } from "../../../report/escape/markdown.ts";
import { escapeXml } from "../../../report/escape/xml.ts";
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

/** The statement as one page without script, style sheet or image of another place. */
export function renderStatementHtml(report: StatementReport): string {
  const list = (title: string, items: readonly string[]): string =>
    items.length === 0 ? "" : `<h2>${title}</h2><ul>${items.map((item) => `<li>${escapeHtml(item)}</li>`).join("")}</ul>`;
  const rows = report.facts.map(([name, value]) => `<tr><th scope="row">${name}</th><td>${escapeHtml(value)}</td></tr>`).join("");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(report.title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
th{text-align:left;vertical-align:top;padding-right:1rem}td{overflow-wrap:anywhere}</style></head>
<body><h1>${escapeHtml(report.title)}</h1><table>${rows}</table>
${report.lists.map(({ title, items }) => list(title, items)).join("")}
</body></html>
`;
}

const colors = { good: "#1a7f37", bad: "#b42318", open: "#57606a" } as const;
const label = "inference API";
/** Of the digits and letters of the font, on average. */
const characterWidth = 6.6;

/** A badge: two boxes with a text each, nothing that is loaded from elsewhere. */
export function renderBadgeSvg({ badge }: StatementReport): string {
  const [left, right] = [label, badge.text].map((text) => Math.ceil(text.length * characterWidth) + 14);
  const [first, second] = [left ?? 0, right ?? 0];
  const text = escapeXml(badge.text);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${first + second}" height="20" role="img" aria-label="${label}: ${text}">
<title>${label}: ${text}</title>
<rect width="${first}" height="20" fill="#24292f"/><rect x="${first}" width="${second}" height="20" fill="${colors[badge.tone]}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="${first / 2}" y="14">${label}</text><text x="${first + second / 2}" y="14">${text}</text></g></svg>
`;
}
