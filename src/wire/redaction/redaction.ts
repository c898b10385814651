import { createDeepMask } from "./deep-mask.ts";
import { namedSecrets, collectHiddenForms, type SecretSource, shortestMasked } from "./secret-forms.ts";
import { maskEscaped } from "./mask-escaped.ts";
import { createGramIndex } from "./gram-index.ts";

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
