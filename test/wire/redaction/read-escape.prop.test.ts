import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readEscape, readUsualEscape } from "../../../src/wire/redaction/read-escape.ts";
import { unescapeText } from "../../../src/wire/redaction/unescape-text.ts";
import { runsOf } from "../../make/runner/sample.ts";
import { unescapeView } from "../../../src/wire/redaction/deep-mask.ts";

const allEscapes =
  /%([0-9a-f]{2})|=([0-9a-f]{2})|=\r?\n|\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\([0-7]{3})|&#x([0-9a-f]{1,6});?|&#([0-9]{1,7});?|&([a-z]{2,8});|u\+([0-9a-f]{4,6})|\b0x([0-9a-f]{2})|\\([^u0-7x])/gi;
const usualEscapes = /%([2-7][0-9a-f])|\\u00([2-7][0-9a-f])|\\([/\\])/gi;
const entities: Readonly<Record<string, string>> = { amp: "&", lowbar: "_", num: "#", gt: ">" };

/** The same escapes as an expression finds them. */
function unescapeAll(text: string): string {
  return text.replaceAll(allEscapes, (...match: readonly (string | undefined)[]) => {
    const [, percent, quoted, braced, unicode, hex, octal, entityHex, entityDecimal, entity, point, number, literal] = match;
    const hexadecimal = percent ?? quoted ?? braced ?? unicode ?? hex ?? entityHex ?? point ?? number;
    const code = hexadecimal === undefined ? undefined : Number.parseInt(hexadecimal, 16);
    const given = code ?? (octal === undefined ? undefined : Number.parseInt(octal, 8));
    const character = given ?? (entityDecimal === undefined ? undefined : Number(entityDecimal));
    if (character !== undefined) return character <= 0x10ffff ? String.fromCodePoint(character) : "";
    return entity === undefined ? (literal ?? "") : (entities[entity.toLowerCase()] ?? "");
  });
}

const piece = fc.constantFrom(
  ..."%|=|\\|&|u|U|+|0|x|X|{|}|;|#|\n|\r\n|4|41|041|0041|101|7|8|f|F|g|amp|lowbar|NUM|zzzz|&amp;|&#65;|&#x41|U+0041|0x41|\\u{1f600}|\\ud83d|%7E|=C3|é|😀|/|\\/|%25|_0x41|10FFFF|110000".split(
    "|",
  ),
);
const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(""));

it("takes back every escape, and nothing else", () => {
  fc.assert(
    fc.property(text, (escaped) => {
      const plain = unescapeAll(escaped);
      expect(unescapeText(escaped, readEscape) ?? escaped).toBe(plain);
      const view = unescapeView({ text: escaped, spans: null });
      expect(view?.text ?? escaped).toBe(plain);
    }),
    { numRuns: runsOf(3000) },
  );
});

it("takes back the usual ones, and nothing else", () => {
  fc.assert(
    fc.property(text, (escaped) => {
      const plain = escaped.replaceAll(
        usualEscapes,
        (_whole, percent?: string, unicode?: string, literal?: string) =>
          literal ?? String.fromCodePoint(Number.parseInt(percent ?? unicode ?? "", 16)),
      );
      expect(unescapeText(escaped, readUsualEscape) ?? escaped).toBe(plain);
    }),
    { numRuns: runsOf(3000) },
  );
});
