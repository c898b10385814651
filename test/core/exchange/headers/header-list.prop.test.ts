import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createFieldFinder,
  fieldAbsent,
  fieldRepeated,
  headerPlaces,
  headerValues,
  singleHeader,
  type HeaderList,
} from "../../../../src/core/exchange/headers/header-list.ts";

const name = fc.constantFrom("date", "Date", "DATE", "content-type", "Content-Type", "x-ratelimit-limit-requests", "x", "X");
const list: fc.Arbitrary<HeaderList> = fc.array(fc.tuple(name, fc.string()), { maxLength: 8 });

/** The rule of the standard, by the plainest means. */
function valuesByFilter(headers: HeaderList, wanted: string): readonly string[] {
  return headers.filter(([field]) => field.toLowerCase() === wanted.toLowerCase()).map(([, value]) => value);
}

describe("header lookups", () => {
  it("agree with a plain search whatever lists come one after the other", () => {
    fc.assert(
      fc.property(fc.array(list, { minLength: 1, maxLength: 40 }), name, (lists, wanted) => {
        for (const headers of lists) {
          const values = valuesByFilter(headers, wanted);
          expect(headerValues(headers, wanted)).toEqual(values);
          expect(singleHeader(headers, wanted)).toBe(values.length === 1 ? values[0] : null);
          expect(headerPlaces(headers, wanted.toLowerCase()).map((place) => headers[place]?.[1])).toEqual(values);
        }
      }),
    );
  });

  it("find several fields at once, also where lists share the fields that are equal", () => {
    const names = ["date", "content-type", "x", "etag"];
    const finders = [createFieldFinder(names), createFieldFinder(names.toReversed())];
    const shared = fc.array(name, { minLength: 1, maxLength: 4 }).map((fields) => fields.map((field) => [field, "v"] as const));
    fc.assert(
      fc.property(shared, fc.array(fc.array(fc.nat(3), { maxLength: 5 }), { maxLength: 20 }), (fields, lists) => {
        for (const list of lists) {
          const headers: HeaderList = list.map((index) => fields[index % fields.length] ?? (["x", ""] as const));
          const expected = names.map((wanted) => {
            const places = headers.flatMap(([field], place) => (field.toLowerCase() === wanted ? [place] : []));
            return places.length > 1 ? fieldRepeated : (places[0] ?? fieldAbsent);
          });
          expect(finders.map((find) => find(headers))).toEqual([expected, expected.toReversed()]);
        }
      }),
    );
  });

  it("see a field that was added to the list they looked at last", () => {
    const headers: [string, string][] = [["date", "1"]];
    expect(singleHeader(headers, "etag")).toBeNull();
    headers.push(["ETag", "2"]);
    expect(singleHeader(headers, "etag")).toBe("2");
  });
});
