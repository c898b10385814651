import { clip } from "./clip.ts";
import { showInvisible } from "./visible.ts";

/** Characters of one text, at most: no screen shows more. */
const longestLine = 4_000;

/** One line for a terminal: no escape sequence, line break or direction change of the target survives. Colour comes after. */
export function terminalText(text: string): string {
  return showInvisible(clip(text, longestLine));
}

/** Columns that a terminal uses for the text: combining marks none, wide East Asian characters and pictographs two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{M}/u.test(character)) continue;
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return width;
}

/** Cuts to at most `columns`, an ellipsis included. */
export function fitWidth(text: string, columns: number, ellipsis = "…"): string {
  if (displayWidth(text) <= columns) return text;
  let kept = "";
  let width = displayWidth(ellipsis);
  for (const character of text) {
    width += displayWidth(character);
    if (width > columns) break;
    kept += character;
  }
  return kept + ellipsis;
}
