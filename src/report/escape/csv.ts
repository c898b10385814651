import { showInvisible } from "./visible.ts";

/**
 * One CSV cell (RFC 4180). Spreadsheets evaluate text that begins with `= + - @`, also behind spaces: such text gets an
 * apostrophe in front. Numbers stay numbers.
 */
export function csvCell(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const shown = showInvisible(value);
  const inert = /^\s*[=+\-@|]/.test(shown) ? `'${shown}` : shown;
  return /[",;\n\r]|^\s|\s$/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

export function csvRow(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}
