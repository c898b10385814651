import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseHttpDate } from "../../../../src/core/exchange/headers/http-date.ts";

const nearUnixMs = Date.UTC(2026, 10, 21);
const seconds = fc.integer({ min: Date.UTC(1900, 0, 1) / 1000, max: Date.UTC(2100, 0, 1) / 1000 });

describe("an HTTP date in the preferred form", () => {
  it("is the instant that it writes", () => {
    fc.assert(
      fc.property(seconds, (second) => {
        const text = new Date(1000 * second).toUTCString();
        expect(parseHttpDate(text, nearUnixMs)).toBe(1000 * second);
      }),
    );
  });

  it("is none where one character of it is another", () => {
    const text = "Sat, 21 Nov 2026 09:30:00 GMT";
    for (let at = 0; at < text.length; at += 1) {
      expect(parseHttpDate(`${text.slice(0, at)}#${text.slice(at + 1)}`, nearUnixMs)).toBeNull();
    }
  });

  it.each(["Sat, 31 Nov 2026 09:30:00 GMT", "Sat, 29 Feb 2026 09:30:00 GMT", "Sat, 21 Nov 2026 24:00:00 GMT", ""])(
    "is none where the calendar has no such instant: %j",
    (text) => {
      expect(parseHttpDate(text, nearUnixMs)).toBeNull();
    },
  );
});
