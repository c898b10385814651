/** An escape that stands for nothing, such as a soft line break. */
export const standsForNothing = 0x1f_ffff;
const codeSpan = 0x20_0000;

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  lowbar: "_",
  hyphen: "-",
  dash: "-",
  period: ".",
  sol: "/",
  bsol: "\\",
  plus: "+",
  equals: "=",
  tilde: "~",
  percnt: "%",
  num: "#",
  commat: "@",
};

/**
 * Reads the escape that begins at a character: of URLs, JSON, C, HTML or quoted-printable, or a character reported by its number. Gives
 * 0 for none, else its length and the code point that it stands for as one number, because texts of a megabyte may hold a million.
 */
export function readEscape(text: string, at: number): number {
  switch (text.charCodeAt(at)) {
    case percent:
      return fixedHex(text, at, 1, 2);
    case equalsSign:
      return readQuotedPrintable(text, at);
    case backslash:
      return readBackslash(text, at);
    case ampersand:
      return readEntity(text, at);
    case lowerU:
    case upperU:
      return text.charCodeAt(at + 1) === plus ? hexOfLength(text, at, 2, 4, 6) : 0;
    case zero:
      return isX(text.charCodeAt(at + 1)) && !isWordCode(text.charCodeAt(at - 1)) ? fixedHex(text, at, 2, 2) : 0;
    default:
      return 0;
  }
}

/**
 * The same for the escapes that programs write of their own accord. Quotation marks are left out, as bodies are full of them: a bearer
 * token holds none (RFC 6750 section 2.1).
 */
export function readUsualEscape(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === percent) return readVisibleHex(text, at, 1);
  if (code !== backslash) return 0;
  const next = text.charCodeAt(at + 1);
  if (next === backslash || next === slash) return found(2, next);
  const isByte = (next === lowerU || next === upperU) && text.charCodeAt(at + 2) === zero && text.charCodeAt(at + 3) === zero;
  return isByte ? readVisibleHex(text, at, 4) : 0;
}

/** Two digits for a character of ASCII that is no control. */
function readVisibleHex(text: string, at: number, prefix: number): number {
  const first = text.charCodeAt(at + prefix);
  return first >= two && first <= seven ? fixedHex(text, at, prefix, 2) : 0;
}

export function escapeLength(escape: number): number {
  return Math.floor(escape / codeSpan);
}

/** The code point, or `standsForNothing`. */
export function escapeCode(escape: number): number {
  return escape % codeSpan;
}

const [percent, ampersand, plus, slash, zero, two, seven, equalsSign, backslash] = [37, 38, 43, 47, 48, 50, 55, 61, 92];
const [lineFeed, carriageReturn, hash, semicolon, openBrace, closeBrace, upperU, lowerU] = [10, 13, 35, 59, 123, 125, 85, 117];

function found(length: number, code: number): number {
  return length * codeSpan + (code > 0x10_ffff ? standsForNothing : code);
}

function readQuotedPrintable(text: string, at: number): number {
  const next = text.charCodeAt(at + 1);
  if (next === lineFeed) return found(2, standsForNothing);
  if (next === carriageReturn && text.charCodeAt(at + 2) === lineFeed) return found(3, standsForNothing);
  return fixedHex(text, at, 1, 2);
}

function readBackslash(text: string, at: number): number {
  const next = text.charCodeAt(at + 1);
  if (next === lowerU || next === upperU) {
    if (text.charCodeAt(at + 2) !== openBrace) return fixedHex(text, at, 2, 4);
    const braced = hexOfLength(text, at, 3, 1, 6);
    return braced !== 0 && text.charCodeAt(at + escapeLength(braced)) === closeBrace ? braced + codeSpan : 0;
  }
  if (isX(next)) return fixedHex(text, at, 2, 2);
  if (!isOctal(next)) return Number.isNaN(next) ? 0 : found(2, next);
  const [second, third] = [text.charCodeAt(at + 2), text.charCodeAt(at + 3)];
  return isOctal(second) && isOctal(third) ? found(4, (next - zero) * 64 + (second - zero) * 8 + third - zero) : 0;
}

function readEntity(text: string, at: number): number {
  if (text.charCodeAt(at + 1) !== hash) {
    let end = at + 1;
    while (end - at <= 8 && isLetter(text.charCodeAt(end))) end += 1;
    if (end - at < 3 || text.charCodeAt(end) !== semicolon) return 0;
    const named = entities[text.slice(at + 1, end).toLowerCase()];
    return found(end + 1 - at, named?.charCodeAt(0) ?? standsForNothing);
  }
  if (isX(text.charCodeAt(at + 2))) return withSemicolon(text, at, hexOfLength(text, at, 3, 1, 6));
  let [code, end] = [0, at + 2];
  for (; end - at <= 8 && isDigit(text.charCodeAt(end)); end += 1) code = code * 10 + text.charCodeAt(end) - zero;
  return end === at + 2 ? 0 : withSemicolon(text, at, found(end - at, code));
}

function withSemicolon(text: string, at: number, escape: number): number {
  return escape !== 0 && text.charCodeAt(at + escapeLength(escape)) === semicolon ? escape + codeSpan : escape;
}

function fixedHex(text: string, at: number, prefix: number, digits: number): number {
  return hexOfLength(text, at, prefix, digits, digits);
}

/** As many hexadecimal digits as there are behind the prefix, between `least` and `most`. */
function hexOfLength(text: string, at: number, prefix: number, least: number, most: number): number {
  let [code, digits] = [0, 0];
  for (; digits < most; digits += 1) {
    const digit = hexDigit(text.charCodeAt(at + prefix + digits));
    if (digit < 0) break;
    code = code * 16 + digit;
  }
  return digits < least ? 0 : found(prefix + digits, code);
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isOctal(code: number): boolean {
  return code >= zero && code <= seven;
}

function isX(code: number): boolean {
  return code === 120 || code === 88;
}

function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

function isWordCode(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === 95;
}
