import { escapeCode, escapeLength, readUsualEscape } from "./read-escape.ts";
import type { HiddenForm } from "./secret-forms.ts";
import { unescapeText } from "./unescape-text.ts";

const deepestEscape = 3;

/** Masks secrets of which any characters are written as escapes, in URLs (RFC 3986 section 2.1) and JSON (RFC 8259 section 7). */
export function maskEscaped(text: string, hidden: readonly HiddenForm[], mayHold: (text: string) => boolean): string {
  let masked = text;
  let plain: string | null = text;
  // An escape may itself be escaped: a URL in a string of JSON in a string of JSON.
  for (let depth = 1; depth <= deepestEscape; depth += 1) {
    plain = unescapeText(plain, readUsualEscape);
    if (plain === null) break;
    if (!mayHold(plain)) continue;
    masked = maskView(masked, viewUnescaped(masked, depth), hidden);
    plain = viewUnescaped(masked, depth).text;
  }
  return masked;
}

interface UnescapedText {
  readonly text: string;
  /** The place at which each character began in the escaped text, and the one at which that ended. */
  readonly offsets: Int32Array;
}

/** A text with so many layers of escapes taken back. */
function viewUnescaped(escaped: string, depth: number): UnescapedText {
  let view: UnescapedText = { text: escaped, offsets: Int32Array.from({ length: escaped.length + 1 }, (_, at) => at) };
  for (let done = 0; done < depth; done += 1) view = unescapeOnce(view);
  return view;
}

function unescapeOnce({ text, offsets }: UnescapedText): UnescapedText {
  const kept = new Int32Array(text.length + 1);
  const pieces: string[] = [];
  let [count, last] = [0, 0];
  for (let at = 0; at < text.length; count += 1) {
    kept[count] = offsets[at] ?? 0;
    const escape = readUsualEscape(text, at);
    if (escape === 0) {
      at += 1;
      continue;
    }
    pieces.push(text.slice(last, at), String.fromCharCode(escapeCode(escape)));
    at += escapeLength(escape);
    last = at;
  }
  kept[count] = offsets[text.length] ?? 0;
  pieces.push(text.slice(last));
  return { text: pieces.join(""), offsets: kept.subarray(0, count + 1) };
}

/** Replaces in the escaped text what shows in the unescaped one. */
function maskView(escaped: string, { text, offsets }: UnescapedText, hidden: readonly HiddenForm[]): string {
  const places: { readonly from: number; readonly to: number; readonly shown: string }[] = [];
  const taken = new Uint8Array(escaped.length + 1);
  for (const { text: secret, shown } of hidden) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
      const [from, to] = [offsets[at] ?? 0, offsets[at + secret.length] ?? escaped.length];
      // Longest first: a shorter secret within a longer one is reported as the longer one.
      if (taken[from] === 1 || taken[to - 1] === 1) continue;
      taken.fill(1, from, to);
      places.push({ from, to, shown });
    }
  }
  const pieces: string[] = [];
  let last = 0;
  for (const { from, to, shown } of places.toSorted((one, other) => one.from - other.from)) {
    pieces.push(escaped.slice(last, from), shown.replace(/>$/, ":escaped>"));
    last = to;
  }
  return pieces.join("") + escaped.slice(last);
}
