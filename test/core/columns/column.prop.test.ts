import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ColumnError,
  packIntegers,
  packNumbers,
  packSeries,
  packTexts,
  unpackIntegers,
  unpackNumbers,
  unpackSeries,
  unpackTexts,
  decodeVlq,
  encodeVlq,
} from "../../../src/core/columns/column.ts";
import { runsOf } from "../../make/runner/sample.ts";

const sparse = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<(Value | null)[]> =>
  fc.array(fc.option(value, { nil: null }), { minLength: 1, maxLength: 40 });
const integer = fc.oneof(fc.integer({ min: -40, max: 40 }), fc.maxSafeInteger());
/** The value after a way through JSON, which has no negative zero. */
const throughJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

describe("columns", () => {
  it("give back every integer, number and text, after JSON", () => {
    fc.assert(
      fc.property(sparse(integer), (values) => {
        const wanted = throughJson(values);
        expect(unpackIntegers(throughJson(packIntegers(values)), values.length)).toEqual(wanted);
      }),
    );
    fc.assert(
      fc.property(sparse(fc.integer({ min: 0, max: 2 ** 50 })), (values) => {
        expect(unpackSeries(throughJson(packSeries(values)), values.length)).toEqual(values);
      }),
    );
    fc.assert(
      fc.property(sparse(fc.oneof(integer, fc.double({ noNaN: true, noDefaultInfinity: true }))), (values) => {
        expect(unpackNumbers(throughJson(packNumbers(values)), values.length)).toEqual(throughJson(values));
      }),
    );
    fc.assert(
      fc.property(sparse(fc.string({ unit: "grapheme" })), (values) => {
        expect(unpackTexts(throughJson(packTexts(values)), values.length)).toEqual(values);
      }),
    );
  });

  it("refuse whatever is none, and never fail otherwise", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 50 }), (column, rows) => {
        for (const unpack of [unpackIntegers, unpackSeries, unpackNumbers, unpackTexts]) {
          try {
            expect(unpack(column, rows)).toHaveLength(rows);
          } catch (error) {
            expect(error).toBeInstanceOf(ColumnError);
          }
        }
      }),
      { numRuns: runsOf(500) },
    );
  });

  it("refuse a text that is cut, longer than its rows, or holds another character", () => {
    const text = encodeVlq([1, 100_000, null, -5]);
    expect(decodeVlq(text, 4)).toEqual([1, 100_000, null, -5]);
    for (const wrong of [text.slice(0, -1), `${text}C`, text.replace("-", "="), `${text}g`])
      expect(decodeVlq(wrong, 4)).toBeNull();
    expect(decodeVlq("/".repeat(40), 1)).toBeNull();
    expect(() => encodeVlq([0.5])).toThrow(RangeError);
  });
});
