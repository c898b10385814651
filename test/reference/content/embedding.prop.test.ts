import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { embed, nativeDimensions, toBase64 } from "../../../src/reference/content/embedding.ts";

describe("embedding", () => {
  it("has unit length at every number of dimensions", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: nativeDimensions }), (text, dimensions) => {
        const vector = embed(1, "m", text, dimensions);
        expect(vector).toHaveLength(dimensions);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
      }),
    );
  });

  it("points where its native vector points when it is cut", () => {
    const [whole, cut] = [embed(1, "m", "text"), embed(1, "m", "text", 8)];
    const ratio = whole[0]! / cut[0]!;
    cut.forEach((value, index) => expect(value * ratio).toBeCloseTo(whole[index]!, 5));
  });

  it("is little-endian float32 in base64", () => {
    const vector = embed(1, "m", "text", 5);
    const bytes = Buffer.from(toBase64(vector), "base64");
    expect(Array.from({ length: 5 }, (_, index) => bytes.readFloatLE(index * 4))).toEqual([...vector]);
  });
});
