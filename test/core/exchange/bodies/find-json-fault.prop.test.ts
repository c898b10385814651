import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findJsonFault } from "../../../../src/core/exchange/bodies/find-json-fault.ts";
import { tryJson } from "../../../../src/core/exchange/bodies/recorded-json.ts";
import { describeMalformed } from "../../../../src/core/exchange/bodies/find-obstacle.ts";

const noise = fc.constantFrom(
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  "\\u12",
  "nul",
  "true",
  "NaN",
  "-",
  "1.",
  "1e",
  "'",
  "\u200b",
  "\n",
  " ",
);

describe("findJsonFault", () => {
  it("finds none exactly where a parser finds none", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(60), noise, fc.boolean(), (json, place, piece, isCut) => {
        const text = isCut ? json.slice(0, place) : `${json.slice(0, place)}${piece}${json.slice(place)}`;
        expect(findJsonFault(text) === null).toBe(tryJson(text) !== undefined);
      }),
      { numRuns: 2000 },
    );
  });

  it("calls a beginning of JSON cut, at its end", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(60), (json, place) => {
        const text = json.slice(0, place);
        if (tryJson(text) !== undefined) return;
        expect(findJsonFault(text)).toEqual({ at: text.length, kind: "cut" });
      }),
    );
  });

  it.each([
    ['{"a":1}x', "behind", 7],
    ["[NaN]", "other", 1],
    ["{'a':1}", "other", 1],
    ["\u200b{}", "other", 0],
    ['["a\nb"]', "other", 3],
    ["[".repeat(100_000), "cut", 100_000],
  ] as const)("places the fault of %j", (text, kind, at) => {
    expect(findJsonFault(text)).toEqual({ kind, at });
  });
});

describe("describeMalformed", () => {
  it("shows the characters at the fault, with those that nobody sees named", () => {
    const said = (text: string): string => describeMalformed({ bytes: text.length, sha256: "", text, truncated: false }, "");
    expect(said('{"a":1}\0')).toBe("the JSON is whole, and 1 more character stands behind it: `<NUL>`");
    expect(said('{"a":"b')).toBe('the JSON is cut: it ends behind `{"a":"b`');
    expect(said('{"a":NaN}')).toBe('the body is not JSON from character 6 on, behind `{"a":`: `NaN}`');
  });
});
