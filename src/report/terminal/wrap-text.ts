import { displayWidth, fitWidth } from "../escape/terminal.ts";

/** Greedy, by words; a word wider than the line is cut. Continuation lines keep the indent. */
export function wrapText(text: string, width: number, indent: string, maxLines: number, ellipsis: string): readonly string[] {
  const lines: string[] = [];
  let current = indent;
  for (const word of text.split(" ")) {
    const joined = current === indent ? indent + word : `${current} ${word}`;
    if (displayWidth(joined) <= width || current === indent) {
      current = joined;
      continue;
    }
    lines.push(current);
    if (lines.length === maxLines) return [...lines.slice(0, -1), fitWidth(`${lines.at(-1) ?? ""} ${ellipsis}`, width, ellipsis)];
    current = indent + word;
  }
  return [...lines, current].map((line) => fitWidth(line, width, ellipsis));
}
