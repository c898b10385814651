import { type DecodedView, ViewBuilder } from "./decoded-view.ts";

/** What no text is put together across: the ends of strings, lists, objects and elements. */
const barriers = '"[]{}<>';
const barrier = "\n";

/** Grown where a longer text comes. */
let codes = Buffer.alloc(4096);

/**
 * Letters and digits only, in lower case, whatever form of Unicode they were written in: what was spaced, dashed, wrapped or
 * strewn with invisible characters stands together.
 */
export function bareText(text: string): string {
  // eslint-disable-next-line no-control-regex
  const plain = /[^\x00-\x7f]/.test(text) ? text.normalize("NFKC") : text;
  if (codes.length < plain.length) codes = Buffer.alloc(2 * plain.length);
  let count = 0;
  for (let at = 0; at < plain.length; at += 1) {
    const code = plain.charCodeAt(at);
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) codes[count++] = code;
    else if (code >= 65 && code <= 90) codes[count++] = code + 32;
    else if (isBarrier(code)) codes[count++] = 10;
  }
  return codes.toString("latin1", 0, count);
}

/** A quotation mark, a bracket, a brace or an angle. */
function isBarrier(code: number): boolean {
  return code === 34 || code === 60 || code === 62 || code === 91 || code === 93 || code === 123 || code === 125;
}

/** The same with the places. */
export function bareView(view: DecodedView): DecodedView {
  const { text } = view;
  const builder = new ViewBuilder(view);
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    const length = code > 0xffff ? 2 : 1;
    const plain = (code < 128 ? text.charAt(at) : text.slice(at, at + length).normalize("NFKC")).toLowerCase();
    const kept = barriers.includes(plain) ? barrier : plain.replaceAll(/[^a-z0-9]/g, "");
    if (kept !== "") builder.put(kept, at, at + length);
    at += length;
  }
  return builder.view();
}
