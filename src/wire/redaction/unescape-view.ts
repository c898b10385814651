import { type DecodedView, ViewBuilder } from "./decoded-view.ts";

/**
 * Escapes of URLs, JSON, C, HTML and quoted-printable, and characters reported by their number. What stands for nothing (a soft line
 * break) is left out. One layer: what an escape of an escape gives is read by the next round.
 */
const escapePattern =
  /%([0-9a-f]{2})|=([0-9a-f]{2})|=\r?\n|\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\([0-7]{3})|&#x([0-9a-f]{1,6});?|&#([0-9]{1,7});?|&([a-z]{2,8});|u\+([0-9a-f]{4,6})|\b0x([0-9a-f]{2})|\\([^u0-7x])/gi;

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

const escapeMark = /[%=\\&]|[uU]\+|0[xX]/;

/** The text with one layer of escapes taken back; null where it has none. */
export function unescapeText(text: string): string | null {
  if (!escapeMark.test(text)) return null;
  const plain = text.replaceAll(escapePattern, (...match) => readEscape(match));
  return plain === text ? null : plain;
}

/** The same with the places. */
export function unescapeView(view: DecodedView): DecodedView | null {
  const { text } = view;
  if (!escapeMark.test(text)) return null;
  const builder = new ViewBuilder(view);
  let last = 0;
  for (const match of text.matchAll(escapePattern)) {
    builder.copy(last, match.index);
    last = match.index + match[0].length;
    builder.put(readEscape(match), match.index, last);
  }
  if (last === 0) return null;
  builder.copy(last, text.length);
  return builder.view();
}

function readEscape(match: readonly (string | undefined)[]): string {
  const [, percent, quoted, braced, unicode, hex, octal, entityHex, entityDecimal, entity, point, number, literal] = match;
  const hexadecimal = percent ?? quoted ?? braced ?? unicode ?? hex ?? entityHex ?? point ?? number;
  if (hexadecimal !== undefined) return character(Number.parseInt(hexadecimal, 16));
  if (octal !== undefined) return character(Number.parseInt(octal, 8));
  if (entityDecimal !== undefined) return character(Number(entityDecimal));
  if (entity !== undefined) return entities[entity.toLowerCase()] ?? "";
  return literal ?? "";
}

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
