import { escapeXml } from "../../report/escape/xml.ts";
import type { StatementReport } from "./statement-report.ts";

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
