import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readWholeNumber } from "../../../../src/core/exchange/headers/whole-number.ts";

describe("whole numbers", () => {
  it("are read where a text is digits alone and short enough to be exact", () => {
    const text = fc.oneof(
      fc.string(),
      fc.nat().map(String),
      fc.stringMatching(/^[0-9]{0,17}$/),
      fc.stringMatching(/^[ +-]?[0-9.e]{1,4}$/),
    );
    fc.assert(
      fc.property(text, (written) => {
        expect(readWholeNumber(written)).toBe(/^[0-9]{1,15}$/.test(written) ? Number(written) : null);
      }),
    );
  });
});
