import { createDeepMask } from "./deep-mask.ts";
import { namedSecrets, collectHiddenForms, type SecretSource, shortestMasked, type HiddenForm } from "./secret-forms.ts";
import { createGramIndex } from "./gram-index.ts";
import { escapeCode, escapeLength, readUsualEscape } from "./read-escape.ts";
import { unescapeText } from "./unescape-text.ts";

const deepestEscape = 3;

/** Masks secrets of which any characters are written as escapes, in URLs (RFC 3986 section 2.1) and JSON (RFC 8259 section 7). */
function maskEscaped(text: string, hidden: readonly HiddenForm[], mayHold: (text: string) => boolean): string {
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

const gramLength = 8;
/** Shorter needles are looked for one by one: they would have to be sampled at almost every character. */
const shortestSampled = 16;

/**
 * Whether a text may hold one of many needles, in the time of a few lookups. Says true rarely without reason, never false without.
 */
export function createTextFilter(needles: readonly string[]): (text: string) => boolean {
  const { short, long } = innermostOf(needles);
  const shortest = Math.min(...long.map((needle) => needle.length));
  const search = long.length === 0 ? null : createGramIndex(long, { gramLength, shortest, foldsCase: false });
  return (text) => {
    for (const needle of short) if (text.includes(needle)) return true;
    return search?.(text, always) === true;
  };
}

const always = (): boolean => true;

interface Innermost {
  readonly short: readonly string[];
  readonly long: readonly string[];
}

/**
 * A text that holds a needle holds every needle inside it as well, so that only the innermost are looked for: those below
 * `shortestSampled`, and the others. A target of thirty keys has some thousand forms to hide: they find each other by their first
 * piece, not one by one.
 */
function innermostOf(needles: readonly string[]): Innermost {
  const rising = [...new Set(needles)].sort((one, other) => one.length - other.length);
  const short: string[] = [];
  const long: string[] = [];
  const byFirstGram = new Map<string, string[]>();
  const holdsOther = (needle: string): boolean => {
    for (let at = 0; at + gramLength <= needle.length; at += 1) {
      const starting = byFirstGram.get(needle.slice(at, at + gramLength));
      if (starting?.some((other) => needle.startsWith(other, at)) === true) return true;
    }
    return false;
  };
  for (const needle of rising) {
    if (short.some((part) => needle.includes(part))) continue;
    if (needle.length < shortestSampled) {
      short.push(needle);
      continue;
    }
    if (holdsOther(needle)) continue;
    long.push(needle);
    const first = needle.slice(0, gramLength);
    const known = byFirstGram.get(first);
    if (known === undefined) byFirstGram.set(first, [needle]);
    else known.push(needle);
  }
  return { short, long };
}

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

/** To find all forms of thirty keys takes some 15 ms, and a run asks for the same at each stage and file. */
const redactors = new Map<string, Redactor>();
const redactorsKept = 4;

export function createRedactor(manifest: SecretSource): Redactor {
  const secrets = JSON.stringify(namedSecrets(manifest));
  const kept = redactors.get(secrets);
  if (kept !== undefined) return kept;
  const made = makeRedactor(manifest);
  if (redactors.size >= redactorsKept) redactors.clear();
  redactors.set(secrets, made);
  return made;
}

function makeRedactor(manifest: SecretSource): Redactor {
  const hidden = collectHiddenForms(manifest);
  const deep = createDeepMask(namedSecrets(manifest));
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
