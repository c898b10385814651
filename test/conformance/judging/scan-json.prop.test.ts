import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanJson } from "../../../src/conformance/judging/scan-json.ts";

describe("scanJson", () => {
  it("agrees with JSON.parse on every text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        const scan = scanJson(text);
        let expected: unknown;
        let accepted = true;
        try {
          expected = JSON.parse(text);
        } catch {
          accepted = false;
        }
        expect(scan.error === null).toBe(accepted);
        expect(scan.value).toEqual(expected);
      }),
    );
  });

  it("finds no repetition in what JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(scanJson(JSON.stringify(value)).duplicates).toEqual([]);
      }),
    );
  });

  it("finds a member that is written twice, wherever it is and however it is escaped", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.jsonValue(), fc.jsonValue(), (name, one, other) => {
        const key = JSON.stringify(name);
        const object = `{${key}:${JSON.stringify(one)},"\\u0000other":[],${key}:${JSON.stringify(other)}}`;
        const pointer = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        fc.pre(name !== "\u0000other");
        expect(scanJson(object).duplicates).toEqual([pointer]);
        expect(scanJson(`{"a":[0,${object}]}`).duplicates).toEqual([`/a/1${pointer}`]);
      }),
    );
  });

  it("distinguishes names in sibling objects", () => {
    expect(scanJson('{"a":{"x":1},"b":{"x":2},"c":[{"x":3},{"x":4}]}').duplicates).toEqual([]);
    expect(scanJson(String.raw`{"a":"{\"a\":1}","\u0061":2}`).duplicates).toEqual(["/a"]);
  });
});
