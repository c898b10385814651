import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonBounds, parseBoundedJson } from "../../../../src/core/exchange/bodies/bounded-json.ts";
import { runsOf } from "../../../make/runner/sample.ts";

function nested(depth: number, open = "[", close = "]"): string {
  return open.repeat(depth) + "1" + close.repeat(depth);
}

describe("JSON of a target", () => {
  it("is what JSON.parse makes of it, within the bounds", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.nat(3000), (text, padding) => {
        const padded = `${" ".repeat(padding)}${text}`;
        expect(parseBoundedJson(padded)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
      }),
    );
  });

  it("is refused as malformed exactly where JSON.parse refuses it", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('"', "[", "]", "{", "}", "\\", ",", ":", ""), (text, at, put) => {
        const place = at % (text.length + 1);
        const spoiled = " ".repeat(1100) + text.slice(0, place) + put + text.slice(place + 1);
        const read = parseBoundedJson(spoiled);
        let valid = true;
        try {
          JSON.parse(spoiled);
        } catch {
          valid = false;
        }
        expect(read.ok || read.problem === "beyond-bounds").toBe(valid);
      }),
      { numRuns: runsOf(500) },
    );
  });

  it("is nested 512 levels at most, whatever its strings hold", () => {
    expect(parseBoundedJson(nested(jsonBounds.depth)).ok).toBe(true);
    for (const text of [
      nested(513),
      nested(5000),
      nested(100_000),
      nested(700, '{"a":', "}"),
      `["${"]".repeat(600)}",${nested(600)}]`,
    ]) {
      expect(parseBoundedJson(text)).toEqual({ ok: false, problem: "beyond-bounds", error: "nested deeper than 512 levels" });
    }
    expect(parseBoundedJson(`["${"[".repeat(2000)}\\"${"[".repeat(2000)}"]`).ok).toBe(true);
    expect(parseBoundedJson("[".repeat(100_000))).toMatchObject({ ok: false, problem: "malformed" });
  });

  it("holds 100,000 values at most, and only numbers that a double holds", () => {
    expect(parseBoundedJson(`[${"0,".repeat(jsonBounds.values - 1)}0]`).ok).toBe(true);
    expect(parseBoundedJson(`[${"0,".repeat(jsonBounds.values)}0]`)).toMatchObject({ error: "more than 100000 values" });
    for (const text of [
      "1e400",
      "-1e999",
      '{"a":[{"b":1E+309}]}',
      `[1,2,${"9".repeat(400)}]`,
      '[1,"a",1e999]',
      '["a",[1e999]]',
    ]) {
      expect(parseBoundedJson(text)).toMatchObject({ problem: "beyond-bounds", error: "a number is larger than a double holds" });
    }
    for (const text of ["1e308", "0.00001e310", '"1e999"', "1e-999"]) expect(parseBoundedJson(text).ok).toBe(true);
  });
});
