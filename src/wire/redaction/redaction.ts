import type { Manifest } from "../../core/manifest.ts";
import { createDeepMask } from "./deep-mask.ts";
import { namedSecrets, collectHiddenForms, type HiddenForm, shortestMasked } from "./secret-forms.ts";
import { createTextFilter } from "../capture/text-filter.ts";

/** Takes every secret of the manifest out of what is recorded. */
export interface Redactor {
  /**
   * Secrets become `<key:NAME>`, re-encoded ones `<key:NAME:HOW>`: base64 at any alignment, base64url, hexadecimal, escapes of
   * URLs and of JSON. A key that is a little off, as we sometimes present it, becomes `<almost-key:NAME:HOW>`: a target that
   * sends it back gives no key away.
   */
  readonly mask: (text: string) => string;
  /**
   * The same, and what shows once the text is decoded in any way, and parts of a secret (see `createDeepMask`). Costs a hundred
   * times as much: for what is kept, not for each answer of load.
   */
  readonly maskDeep: (text: string) => string;
  /** The same for bytes that are no text: secrets are overwritten with asterisks of the same length. */
  readonly maskBytes: (bytes: Buffer) => Buffer;
  /** Length of the longest thing to hide, in UTF-16 units: text must not be cut closer than that before masking. */
  readonly longest: number;
}

/** Values of header fields and bodies come again and again. */
const textsKnown = 500;
const longestKnown = 4096;

/** `\\u0073`: the longest escape of one character. */
const longestEscape = 6;
const deepestEscape = 3;
/** Quotation marks are left out, as bodies are full of them: what a bearer token may hold is none (RFC 6750 section 2.1). */
const escapePattern = /%([2-7][0-9a-f])|\\u00([2-7][0-9a-f])|\\([/\\])/gi;

/** To find all forms of thirty keys takes some 15 ms, and a run asks for the same at each stage and file. */
const redactors = new Map<string, Redactor>();
const redactorsKept = 4;

export function createRedactor(manifest: Pick<Manifest, "keys" | "control" | "target">): Redactor {
  const secrets = JSON.stringify(namedSecrets(manifest));
  const kept = redactors.get(secrets);
  if (kept !== undefined) return kept;
  const made = makeRedactor(manifest);
  if (redactors.size >= redactorsKept) redactors.clear();
  redactors.set(secrets, made);
  return made;
}

function makeRedactor(manifest: Pick<Manifest, "keys" | "control" | "target">): Redactor {
  const hidden = collectHiddenForms(manifest);
  const deep = createDeepMask(namedSecrets(manifest).map(([secret, name]) => ({ secret, name })));
  const mayHold = createTextFilter(hidden.map(({ text }) => text));
  const longest = Math.max(0, ...hidden.map(({ text }) => text.length)) * longestEscape;
  const mask = (text: string): string => {
    // Nothing that short is hidden, and it need not be searched: most values of header fields are.
    if (text.length < shortestMasked) return text;
    let masked = text;
    if (mayHold(text)) for (const { text: secret, shown } of hidden) masked = masked.replaceAll(secret, () => shown);
    return masked.includes("%") || masked.includes("\\") ? maskEscaped(masked, hidden, mayHold) : masked;
  };
  const maskBytes = (bytes: Buffer): Buffer => {
    if (!mayHold(bytes.toString("latin1"))) return bytes;
    let masked = bytes;
    for (const { text } of hidden) {
      for (let at = masked.indexOf(text); at !== -1; at = masked.indexOf(text, at + 1)) {
        if (masked === bytes) masked = Buffer.from(bytes);
        masked.fill("*", at, at + Buffer.byteLength(text));
      }
    }
    return masked;
  };
  const known = new Map<string, string>();
  const maskDeep = (text: string): string => {
    if (text.length > longestKnown) return deep(mask(text));
    let masked = known.get(text);
    if (masked === undefined) {
      masked = deep(mask(text));
      if (known.size >= textsKnown) known.clear();
      known.set(text, masked);
    }
    return masked;
  };
  return { mask, maskDeep, maskBytes, longest };
}

/** Secrets of which any characters are written as escapes, in URLs (RFC 3986 section 2.1) and JSON (RFC 8259 section 7). */
function maskEscaped(text: string, hidden: readonly HiddenForm[], mayHold: (text: string) => boolean): string {
  let masked = text;
  let plain = text;
  // An escape may itself be escaped: a URL in a string of JSON in a string of JSON.
  for (let depth = 1; depth <= deepestEscape; depth += 1) {
    const before = plain;
    plain = before.replaceAll(escapePattern, unescapeOne);
    if (plain === before) break;
    if (!mayHold(plain)) continue;
    masked = maskView(masked, viewUnescaped(masked, depth), hidden);
    plain = viewUnescaped(masked, depth).text;
  }
  return masked;
}

function unescapeOne(_whole: string, percent?: string, unicode?: string, literal?: string): string {
  return literal ?? String.fromCodePoint(Number.parseInt(percent ?? unicode ?? "", 16));
}

interface UnescapedText {
  readonly text: string;
  /** Where each character began in the escaped text, and where that ended. */
  readonly offsets: readonly number[];
}

/** A text with so many layers of escapes taken back. */
function viewUnescaped(escaped: string, depth: number): UnescapedText {
  let view: UnescapedText = { text: escaped, offsets: Array.from({ length: escaped.length + 1 }, (_, at) => at) };
  for (let done = 0; done < depth; done += 1) view = unescapeOnce(view);
  return view;
}

function unescapeOnce({ text, offsets }: UnescapedText): UnescapedText {
  const kept: number[] = [];
  const pieces: string[] = [];
  let last = 0;
  for (const match of text.matchAll(escapePattern)) {
    const [whole, percent, unicode, literal] = match;
    pieces.push(text.slice(last, match.index), unescapeOne(whole, percent, unicode, literal));
    for (let at = last; at <= match.index; at += 1) kept.push(offsets[at] ?? 0);
    last = match.index + whole.length;
  }
  pieces.push(text.slice(last));
  for (let at = last; at <= text.length; at += 1) kept.push(offsets[at] ?? 0);
  return { text: pieces.join(""), offsets: kept };
}

/** Replaces in the escaped text what shows in the unescaped one. */
function maskView(escaped: string, { text, offsets }: UnescapedText, hidden: readonly HiddenForm[]): string {
  const places: { readonly from: number; readonly to: number; readonly shown: string }[] = [];
  for (const { text: secret, shown } of hidden) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
      const [from, to] = [offsets[at] ?? 0, offsets[at + secret.length] ?? escaped.length];
      // Longest first: a shorter secret within a longer one is reported as the longer one.
      if (places.every((place) => to <= place.from || from >= place.to)) places.push({ from, to, shown });
    }
  }
  let masked = escaped;
  for (const { from, to, shown } of places.toSorted((a, b) => b.from - a.from)) {
    masked = `${masked.slice(0, from)}${shown.replace(/>$/, ":escaped>")}${masked.slice(to)}`;
  }
  return masked;
}
