import { escapeCode, escapeLength, standsForNothing } from "./read-escape.ts";

/** UTF-16 units of the text that is being made; grown if a longer one comes. */
let units = new Uint16Array(8192);

/** A text with one layer of escapes taken back, as `readAt` finds them (see `readEscape`); null if it has none. */
export function unescapeText(text: string, readAt: (text: string, at: number) => number): string | null {
  if (units.length < text.length) units = new Uint16Array(2 * text.length);
  let [count, highest, isChanged] = [0, 0, false];
  for (let at = 0; at < text.length;) {
    const escape = readAt(text, at);
    const code = escape === 0 ? text.charCodeAt(at) : escapeCode(escape);
    if (escape !== 0) isChanged = true;
    at += escape === 0 ? 1 : escapeLength(escape);
    if (code === standsForNothing) continue;
    highest |= code;
    if (code > 0xffff) {
      units[count++] = 0xd800 + ((code - 0x1_0000) >> 10);
      units[count++] = 0xdc00 + ((code - 0x1_0000) & 0x3ff);
    } else units[count++] = code;
  }
  return isChanged ? textOfUnits(count, highest) : null;
}

/** One byte a character if that is enough: searches of such texts take half the time. */
function textOfUnits(count: number, highest: number): string {
  if (highest > 0xff) return Buffer.from(units.buffer, units.byteOffset, 2 * count).toString("utf16le");
  return Buffer.from(units.subarray(0, count)).toString("latin1");
}
