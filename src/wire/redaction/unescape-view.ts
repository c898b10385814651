import { type DecodedView, ViewBuilder } from "./decoded-view.ts";
import { escapeCode, escapeLength, readEscape, standsForNothing } from "./read-escape.ts";

const escapeMark = /[%=\\&]|[uU]\+|0[xX]/;

/** Whether there may be an escape at all. */
export function mayHoldEscape(text: string): boolean {
  return escapeMark.test(text);
}

/** A view with one layer of escapes taken back; null if it has none. An escape that an escape gives is read by the next round. */
export function unescapeView(view: DecodedView): DecodedView | null {
  const { text } = view;
  if (!escapeMark.test(text)) return null;
  const builder = new ViewBuilder(view);
  let last = 0;
  for (let at = 0; at < text.length;) {
    const escape = readEscape(text, at);
    if (escape === 0) {
      at += 1;
      continue;
    }
    const code = escapeCode(escape);
    builder.copy(last, at);
    last = at + escapeLength(escape);
    builder.put(code === standsForNothing ? "" : String.fromCodePoint(code), at, last);
    at = last;
  }
  if (last === 0) return null;
  builder.copy(last, text.length);
  return builder.view();
}
