import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headerPlaces, headerValues, singleHeader, type HeaderList } from "../../src/core/header-list.ts";

const name = fc.constantFrom("date", "Date", "DATE", "content-type", "Content-Type", "x-ratelimit-limit-requests", "x", "X");
const list: fc.Arbitrary<HeaderList> = fc.array(fc.tuple(name, fc.string()), { maxLength: 8 });

/** What the standard says, by the plainest means. */
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

  it("see a field that was added to the list they looked at last", () => {
    const headers: [string, string][] = [["date", "1"]];
    expect(singleHeader(headers, "etag")).toBeNull();
    headers.push(["ETag", "2"]);
    expect(singleHeader(headers, "etag")).toBe("2");
  });
});
