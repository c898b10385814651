import type { NamedSecret } from "../../core/named-secret.ts";
import { decodeViews, someDecoded, type DecodedView, originalSpan, ViewBuilder } from "./decode-runs.ts";
import { readEscape, escapeCode, escapeLength, standsForNothing } from "./read-escape.ts";
import { unescapeText } from "./unescape-text.ts";
import { createGramIndex } from "./gram-index.ts";

const escapeMark = /[%=\\&]|[uU]\+|0[xX]/;

/** Whether there may be an escape at all. */
function mayHoldEscape(text: string): boolean {
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

/** A part of a secret within a text. */
interface FoundPart {
  readonly from: number;
  readonly to: number;
  /** Place of the secret in the list. */
  readonly secret: number;
  /** The whole secret, letter for letter. */
  readonly whole: boolean;
}

/** Whether `isWanted` takes one of the parts of secrets that stand in a text, whatever the case of their letters. */
type PartSearch = (text: string, isWanted: (part: FoundPart) => boolean) => boolean;

const gramLength = 4;

/**
 * `shortest`: characters of a part from which on it counts where letters and digits, or both cases, show that it is no word or
 * number; `plainest`: from which on it counts in any case. A whole secret always counts.
 */
function createPartSearch(secrets: readonly string[], shortest: number, plainest: number): PartSearch {
  const lower = secrets.map((secret) => secret.toLowerCase());
  const search = createGramIndex(lower, {
    gramLength,
    shortest: Math.min(shortest, ...secrets.map(({ length }) => length)),
    foldsCase: true,
  });
  return (text, isWanted) => {
    let coveredTo = 0;
    return search(text, (at, index, place) => {
      const part = extend(text, at, lower[index] ?? "", place);
      if (part === null || part.to <= coveredTo) return false;
      const secret = secrets[index] ?? "";
      // Most pieces that are seen belong to no part that counts; to look at their letters costs most.
      if (part.to - part.from < Math.min(shortest, secret.length)) return false;
      const written = text.slice(part.from, part.to);
      const whole = written === secret;
      if (!whole && written.length < (isSpecific(written) ? shortest : plainest) && written.length < secret.length) return false;
      coveredTo = part.to;
      return isWanted({ ...part, secret: index, whole });
    });
  };
}

function lowerCode(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 65 && code <= 90 ? code + 32 : code;
}

/** As much of the secret as stands around the place where a piece of it was seen. */
function extend(text: string, at: number, secret: string, place: number): { readonly from: number; readonly to: number } | null {
  let before = 0;
  while (before < place && before < at && lowerCode(text, at - before - 1) === secret.charCodeAt(place - before - 1)) before += 1;
  let after = 0;
  while (place + after < secret.length && lowerCode(text, at + after) === secret.charCodeAt(place + after)) after += 1;
  return after < gramLength ? null : { from: at - before, to: at + after };
}

/** Whether it can hardly be a word or a number. */
function isSpecific(part: string): boolean {
  return /[a-z]/i.test(part) && (/[^a-z]/i.test(part) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(part));
}

interface MaskedSpan {
  readonly from: number;
  readonly to: number;
  readonly shown: string;
}

/** Encodings within each other that are decoded, at most. */
const deepest = 4;
const shortestPart = 8;
const shortestPlainPart = 12;
/** Prefixes that all keys of a service share: they give no key away. */
const publicPrefix = /^(?:nim|sk|pk|rk)[_-](?:(?:live|test|proj|prod|ant|or)[_-])?/i;

/**
 * Masks what remains of secrets once a text is decoded: escapes of any kind, Base64, Base32, hexadecimal, codes of characters,
 * forms of Unicode, letters set apart, each in each other up to four deep, and parts of a secret of at least eight characters.
 * A secret that is found is masked at its place in the original. Takes some ten milliseconds for a megabyte.
 */
export function createDeepMask(named: readonly NamedSecret[]): (text: string) => string {
  const secrets = named.filter(({ value }) => value.length >= shortestPart);
  if (secrets.length === 0) return (text) => text;
  const whole = secrets.map(({ value }) => value);
  const tails = secrets.map(({ value, isCredential }) => (isCredential ? value.replace(publicPrefix, "") : value));
  // The whole is looked for as well: it distinguishes a key from a part of one.
  const someParts = createPartSearch([...whole, ...tails], shortestPart, shortestPlainPart);
  const bare = [...whole, ...tails].map(bareText);
  const someBare = createPartSearch(bare, shortestPlainPart, shortestPlainPart);
  const publicLength = whole.map((secret, index) => secret.length - (tails[index] ?? "").length);

  const isPublic = (text: string, { from, to, secret, whole: all }: FoundPart): boolean => {
    if (!all && secrets[secret % secrets.length]?.isCredential === false) return true;
    if (all || secret >= secrets.length) return false;
    return to - from <= (publicLength[secret] ?? 0) && publicPrefix.test(text.slice(from, to));
  };
  /** Letters and digits alone: all of those of the value, if its parts give nothing away. */
  const isBareSecret = ({ from, to, secret }: FoundPart): boolean =>
    secrets[secret % secrets.length]?.isCredential !== false || to - from === bare[secret]?.length;
  /** Whether there may be anything to mask; rarely true without reason. It finds no places, which cost most. */
  const mayHold = (text: string, depth: number, budget: Budget): boolean => {
    if (!budget.take(text.length)) return true;
    if (someParts(text, (part) => !isPublic(text, part)) || someBare(bareText(text), isBareSecret)) return true;
    if (depth === deepest) return false;
    const unescaped = mayHoldEscape(text) ? unescapeText(text, readEscape) : null;
    if (unescaped !== null && mayHold(unescaped, depth + 1, budget)) return true;
    return someDecoded(text, (decoded) => mayHold(decoded, depth + 1, budget));
  };
  const keep = (spans: MaskedSpan[], view: DecodedView, part: FoundPart, encoded: boolean): void => {
    const name = secrets[part.secret % secrets.length]?.name ?? "";
    const [from, to] = originalSpan(view, part.from, part.to);
    const isAll = part.whole && part.secret < secrets.length;
    spans.push({ from, to, shown: isAll ? `<${name}${encoded ? ":encoded" : ""}>` : `<almost-${name}:part>` });
  };
  /** Whether all of it was searched. */
  const locate = (spans: MaskedSpan[], view: DecodedView, depth: number, budget: Budget): boolean => {
    if (!budget.take(view.text.length)) return false;
    someParts(view.text, (part) => {
      if (!isPublic(view.text, part)) keep(spans, view, part, view.spans !== null);
      return false;
    });
    // Places cost most, so that they are found only if there is something.
    if (someBare(bareText(view.text), isBareSecret)) {
      const bareOne = bareView(view);
      someBare(bareOne.text, (part) => {
        if (isBareSecret(part)) keep(spans, bareOne, { ...part, whole: false }, true);
        return false;
      });
    }
    if (depth === deepest) return true;
    const unescaped = unescapeView(view);
    if (unescaped !== null && !locate(spans, unescaped, depth + 1, budget)) return false;
    for (const decoded of decodeViews(view)) if (!locate(spans, decoded, depth + 1, budget)) return false;
    return true;
  };
  /** A key takes no more than this in any encoding that is read. */
  const overlap = 24 * Math.max(...whole.map(({ length }) => length));
  const windowLength = 4 * overlap;

  const searchAll = (text: string): boolean => mayHold(text, 0, createBudget(text.length));
  return (text) => {
    if (text.length < shortestPart || !searchAll(text)) return text;
    const spans: MaskedSpan[] = [];
    let located = 0;
    for (let from = 0; from === 0 || from + overlap < text.length; from += windowLength - overlap) {
      const window = text.length <= windowLength ? text : text.slice(from, from + windowLength);
      if (window !== text && !searchAll(window)) continue;
      located += 1;
      const inWindow: MaskedSpan[] = [];
      const isLocated =
        located <= windowsLocated && locate(inWindow, { text: window, spans: null }, 0, createBudget(window.length));
      // A window that is not searched to its end is masked as a whole.
      if (!isLocated) inWindow.push({ from: 0, to: window.length, shown: `<almost-${secrets[0]?.name ?? ""}:part>` });
      for (const span of inWindow) spans.push({ ...span, from: from + span.from, to: from + span.to });
    }
    return spans.length === 0 ? text : maskSpans(text, spans);
  };
}

/** Characters that may still be searched. */
interface Budget {
  /** Whether there are as many left. */
  readonly take: (count: number) => boolean;
}

/** Characters that are searched for each character of a text, at most, whatever it decodes to: texts seen in answers take fewer than three. */
const searchedPerCharacter = 8;

/** Decoded texts decode to texts, each of them in several ways: without a bound their number grows with every layer. */
function createBudget(length: number): Budget {
  let left = searchedPerCharacter * length + 4096;
  return {
    take(count) {
      left -= count;
      return left >= 0;
    },
  };
}

/** A text that is full of keys is masked by the window from then on: to find each costs more than it shows. */
const windowsLocated = 16;

/** Spans that overlap are masked as one, reported by the one that says most. */
function maskSpans(text: string, spans: readonly MaskedSpan[]): string {
  const merged: { from: number; to: number; shown: string }[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
    const last = merged.at(-1);
    if (last === undefined || span.from >= last.to) {
      merged.push({ ...span });
      continue;
    }
    last.to = Math.max(last.to, span.to);
    if (last.shown.startsWith("<almost-") && !span.shown.startsWith("<almost-")) last.shown = span.shown;
  }
  const pieces: string[] = [];
  let last = 0;
  for (const { from, to, shown } of merged) {
    pieces.push(text.slice(last, from), shown);
    last = to;
  }
  return pieces.join("") + text.slice(last);
}

/** Ends of strings, lists, objects and elements: letters on both sides of one are never read as one text. */
const barriers = '"[]{}<>';
const barrier = "\n";

/** The characters of one text; grown where a longer one comes. */
let codes = Buffer.alloc(4096);

/**
 * Letters and digits only, in lower case, whatever form of Unicode they were written in: what was spaced, dashed, wrapped or
 * strewn with invisible characters stands together.
 */
function bareText(text: string): string {
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

/** As `bareText`, with the places of the characters. */
function bareView(view: DecodedView): DecodedView {
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
