import { describe, expect, it } from "vitest";
import { createHeaderReader } from "../../../src/wire/http/header-reader.ts";

function raw(...texts: readonly string[]): readonly Buffer[] {
  return texts.map((text) => Buffer.from(text, "latin1"));
}

describe("header fields of one answer after another", () => {
  const read = createHeaderReader((text) => text.replaceAll("secret", "<key:a>"));

  it("share what is equal and keep order, spelling and repetitions", () => {
    const first = read(raw("X-A", "1", "x-a", "1", "date", "noon"));
    const second = read(raw("X-A", "1", "x-a", "2", "date", "noon"));
    expect(first).toEqual([
      ["X-A", "1"],
      ["x-a", "1"],
      ["date", "noon"],
    ]);
    expect(second).toEqual([
      ["X-A", "1"],
      ["x-a", "2"],
      ["date", "noon"],
    ]);
    expect(second[0]).toBe(first[0]);
    expect(second[1]).not.toBe(first[1]);
    expect(read(raw("date", "noon"))).toEqual([["date", "noon"]]);
  });

  it("are masked each time, also beyond the places that are remembered", () => {
    const many = Array.from({ length: 200 }, (_, place) => [`n${place}`, place % 2 === 0 ? "secret" : "plain"]).flat();
    for (const fields of [read(raw(...many)), read(raw(...many))]) {
      expect(fields).toHaveLength(200);
      expect(fields.map(([, value]) => value)).toEqual(
        Array.from({ length: 200 }, (_, place) => (place % 2 === 0 ? "<key:a>" : "plain")),
      );
    }
  });
});
