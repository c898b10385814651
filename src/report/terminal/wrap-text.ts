import { displayWidth, fitWidth } from "../escape/terminal.ts";

export interface Wrapping {
  readonly width: number;
  /** Stands before the first line. */
  readonly first: string;
  /** Stands before the others. */
  readonly rest: string;
  readonly maxLines: number;
  readonly ellipsis: string;
}

/** Greedy, by words; a word wider than the line goes on in the next. Only beyond `maxLines` is text left out, and an ellipsis says so. */
export function wrapText(text: string, { width, first, rest, maxLines, ellipsis }: Wrapping): readonly string[] {
  const lines: string[] = [];
  let current = first;
  let isEmpty = true;
  const breakLine = (): void => {
    lines.push(current);
    current = rest;
    isEmpty = true;
  };
  for (const word of text.split(" ")) {
    const joined = isEmpty ? current + word : `${current} ${word}`;
    if (displayWidth(joined) <= width) {
      current = joined;
      isEmpty = false;
      continue;
    }
    if (!isEmpty) breakLine();
    for (const character of word) {
      if (displayWidth(current + character) > width && !isEmpty) breakLine();
      current += character;
      isEmpty = false;
    }
  }
  lines.push(current);
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), fitWidth(`${lines[maxLines - 1] ?? ""} ${ellipsis}`, width, ellipsis)];
}
