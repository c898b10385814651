import * as fc from "fast-check";
import { expect, it } from "vitest";
import { decodeViews, someDecoded } from "../../../src/wire/redaction/decode-runs.ts";
import { runsOf } from "../../make/runner/sample.ts";

const plain = fc.oneof(fc.string({ unit: "grapheme-ascii", maxLength: 24 }), fc.string({ maxLength: 24 }));
const encoded = fc
  .tuple(
    plain,
    fc.constantFrom("base64", "base64url", "hex", "latin1", "utf16le"),
    fc.string({ unit: fc.constantFrom("a", "Z", "7", "\n", "-"), maxLength: 3 }),
  )
  .map(([text, how, before]) => {
    const bytes = how === "utf16le" ? Buffer.from(text, "utf16le").toString("base64") : Buffer.from(text).toString(how);
    return `${before}${bytes}`;
  });
const number = fc.double({ noNaN: true }).map(String);
const letters = fc.stringMatching(/^[a-z2-7]{0,40}$/);

it("asks about all that is decoded where places are wanted, and nothing else", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(encoded, number, letters), { maxLength: 5 }),
      fc.constantFrom("", " ", ",", "\n"),
      (parts, between) => {
        const text = parts.join(between);
        const asked: string[] = [];
        someDecoded(text, (decoded) => asked.push(decoded) === 0);
        const wanted = [...decodeViews({ text, spans: null })].map((view) => view.text);
        expect(asked.sort()).toEqual(wanted.sort());
      },
    ),
    { numRuns: runsOf(2000) },
  );
});
