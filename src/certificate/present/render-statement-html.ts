import { escapeHtml } from "../../report/escape/html.ts";
import type { StatementReport } from "./statement-report.ts";

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
