import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlobShortener } from "../../../src/wire/capture/blob-shortener.ts";

const plain = { mostBytes: 1_048_576, mask: (text: string) => text, marginBytes: 100 };
const picture = Buffer.alloc(300_000, "\u0089PNG and more").toString("base64");

function shorten(text: string, cuts: readonly number[] = [], options = plain): string | null {
  const bytes = Buffer.from(text);
  const shortener = new BlobShortener(options);
  let from = 0;
  for (const cut of [...cuts.map((one) => one % (bytes.length + 1)), bytes.length].toSorted((one, other) => one - other)) {
    shortener.write(bytes.subarray(from, cut));
    from = cut;
  }
  return shortener.end()?.toString("utf8") ?? null;
}

describe("the shortener of long strings in base64", () => {
  const form = fc.constantFrom(
    (text: string) => text,
    (text: string) => `data:image/png;base64,${text}`,
    (text: string) => text.replaceAll("/", "-").replaceAll("+", "_"),
  );
  const cuts = fc.array(fc.nat(500_000), { maxLength: 12 });

  it("leaves all else of an answer as it is, wherever it is cut", () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), form, fc.boolean(), cuts, (before, behind, write, escapes, places) => {
        const long = write(picture);
        const string = JSON.stringify(long);
        const text = `{"a":${before},"b64_json":${escapes ? string.replaceAll("/", "\\/") : string},"z":${behind}}`;
        const short = shorten(text, places) ?? "";
        expect(short.length).toBeLessThan(text.length - 200_000);
        const { b64_json: kept, ...rest } = JSON.parse(short) as { readonly b64_json: string };
        expect(rest).toEqual({ a: JSON.parse(before) as unknown, z: JSON.parse(behind) as unknown });
        expect(kept.length).toBeGreaterThan(32_000);
        expect(long.startsWith(kept)).toBe(true);
        expect(kept.replace(/^data:[^,]*,/, "").length % 4).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it("touches no text, no string of another alphabet, no list of vectors", () => {
    const words = "a word and the next ".repeat(20_000);
    const vectors = Array.from({ length: 10 }, () => "AAAAPwAA".repeat(8_192));
    for (const value of [{ words }, vectors, { words: `${picture}"` }, { words: `${picture} ` }])
      expect(shorten(JSON.stringify(value))).toBeNull();
    expect(shorten(JSON.stringify([words, picture]))).toContain(words);
  });

  it("gives up where the copy would be too long, and shows no part of a secret at the end of what stays", () => {
    const text = JSON.stringify(Array.from({ length: 20 }, () => picture));
    expect(shorten(text)).toBeNull();
    const secret = "c2VjcmV0LXNlY3JldC1zZWNyZXQ";
    const mask = (one: string): string => one.replaceAll(secret, "<key:primary>");
    for (const at of [65_500, 65_515, 65_530, 65_536]) {
      const held = picture.slice(0, at) + secret + picture.slice(at);
      expect(shorten(JSON.stringify({ held }), [], { ...plain, mask })).not.toContain("c2Vjcm");
    }
  });
});
