import { displayWidth, fitWidth } from "../escape/terminal.ts";

/** Cuts in the middle to at most `columns`: of a request the path stands at one end, and what is wrong often at the other. */
export function fitMiddle(text: string, columns: number, ellipsis: string): string {
  if (displayWidth(text) <= columns) return text;
  const room = columns - displayWidth(ellipsis);
  const end = lastColumns(text, Math.floor(room / 2));
  return `${fitWidth(text, columns - displayWidth(end), ellipsis)}${end}`;
}

function lastColumns(text: string, columns: number): string {
  let kept = "";
  let width = 0;
  for (const character of Array.from(text).toReversed()) {
    width += displayWidth(character);
    if (width > columns) break;
    kept = character + kept;
  }
  return kept;
}
