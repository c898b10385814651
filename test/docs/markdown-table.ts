/** A Markdown table; `|` is escaped in cells, and `<` outside code. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map((cells) => line(cells.map(escapeCell)))].join("\n");
}

function escapeCell(text: string): string {
  const parts = text.replaceAll("\n", " ").replaceAll("|", "\\|").split("`");
  return parts.map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "&lt;") : part)).join("`");
}
