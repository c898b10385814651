import { describe, expect, it } from "vitest";
import { recogniseImage } from "../../../../src/conformance/judges/images/image-size.ts";

function ascii(text: string): readonly number[] {
  return [...Buffer.from(text, "latin1")];
}

const recognised = (...bytes: readonly number[]): unknown => recogniseImage(Uint8Array.from(bytes));
const sized = (format: string, width: number, height: number): unknown => ({ format, size: { format, width, height } });
const unsized = (format: string): unknown => ({ format, size: null });

describe("PNG", () => {
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13];
  const long = (value: number): readonly number[] => [0, 0, value >> 8, value & 0xff];
  const png = (chunk: string, width: number, height: number): readonly number[] => [
    ...signature,
    ...ascii(chunk),
    ...long(width),
    ...long(height),
  ];

  it("has its size in the first 24 bytes, in a chunk IHDR", () => {
    const header = png("IHDR", 1792, 1024);
    expect(recognised(...header)).toEqual(sized("png", 1792, 1024));
    expect(recognised(...header.slice(0, 23))).toEqual(unsized("png"));
    expect(recognised(...png("CgBI", 1792, 1024))).toEqual(unsized("png"));
  });

  it("is damaged where a side is 0", () => {
    expect(recognised(...png("IHDR", 0, 1))).toEqual(unsized("png"));
    expect(recognised(...png("IHDR", 1, 0))).toEqual(unsized("png"));
    expect(recognised(...png("IHDR", 1, 1))).toEqual(sized("png", 1, 1));
  });
});

describe("JPEG", () => {
  const start = [0xff, 0xd8];
  const short = (value: number): readonly number[] => [value >> 8, value & 0xff];
  /** Up to the width, which is the last that is read. */
  const frame = (marker: number, width = 1792, height = 1024): readonly number[] => [
    0xff,
    marker,
    0x00,
    0x11,
    0x08,
    ...short(height),
    ...short(width),
  ];
  const segment = (marker: number): readonly number[] => [0xff, marker, 0x00, 0x04, 0xff, 0xc0];

  it.each([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc7, 0xc9, 0xcb, 0xcd, 0xcf])("has its size in a frame header %i", (marker) => {
    expect(recognised(...start, ...frame(marker))).toEqual(sized("jpeg", 1792, 1024));
    expect(recognised(...start, ...frame(marker).slice(0, -1))).toEqual(unsized("jpeg"));
  });

  it.each([0x02, 0xbf, 0xc4, 0xc8, 0xcc, 0xdb, 0xe0, 0xfe])("may have a segment %i before it", (marker) => {
    expect(recognised(...start, ...segment(marker), ...frame(0xc0))).toEqual(sized("jpeg", 1792, 1024));
  });

  it.each([0x01, 0xd0, 0xd3, 0xd7])("may have a marker %i without a length before it", (marker) => {
    expect(recognised(...start, 0xff, marker, ...frame(0xc0))).toEqual(sized("jpeg", 1792, 1024));
  });

  it("may have bytes that fill up before a marker", () => {
    expect(recognised(...start, 0xff, 0xff, ...frame(0xc0))).toEqual(sized("jpeg", 1792, 1024));
  });

  it.each([0xd9, 0xda])("has no size after the marker %i", (marker) => {
    expect(recognised(...start, 0xff, marker, 0x00, 0x02, ...frame(0xc0))).toEqual(unsized("jpeg"));
  });

  it("is damaged where no marker follows a segment", () => {
    expect(recognised(...start, ...segment(0xe0), 0x00, ...frame(0xc0).slice(1))).toEqual(unsized("jpeg"));
    expect(recognised(...start, 0xff, ...Array.from({ length: 30 }, () => 0xff))).toEqual(unsized("jpeg"));
    expect(recognised(...start, 0xff, 0xe0, 0x00, 0x10)).toEqual(unsized("jpeg"));
  });
});

describe("WebP", () => {
  /** Sizes are in the first 30 bytes. */
  const webp = (chunk: string, payload: readonly number[], [outer, inner] = ["RIFF", "WEBP"]): readonly number[] => {
    const bytes = [...ascii(`${outer}0000${inner}${chunk}0000`), ...payload];
    return [...bytes, ...Array.from({ length: 30 - bytes.length }, () => 0)];
  };
  const lossy = [0, 0, 0, 0x9d, 0x01, 0x2a, 0x00, 0x47, 0x00, 0x84];
  const lossless = [0x2f, 0xff, 0xc6, 0xff, 0xf0];
  const extended = [0, 0, 0, 0, 0xff, 0x06, 0x01, 0xff, 0x03, 0x02];

  it.each([
    // The two bits above the size are the scale of a lossy frame, and alpha and version of a lossless one.
    ["VP8 ", lossy, 1792, 1024],
    ["VP8L", lossless, 1792, 1024],
    ["VP8X", extended, 67_328, 132_096],
  ] as const)("has its size in a chunk %s", (chunk, payload, width, height) => {
    expect(recognised(...webp(chunk, payload))).toEqual(sized("webp", width, height));
    expect(recognised(...webp(chunk, payload).slice(0, 29))).toEqual(unsized("webp"));
  });

  it.each([
    ["ICCP", lossy],
    ["ICCP", lossless],
    ["VP8 ", [...lossy.slice(0, 3), 0x9d, 0x01, 0x2b, ...lossy.slice(6)]],
    ["VP8 ", [...lossy.slice(0, 3), 0x9c, 0x01, 0x2a, ...lossy.slice(6)]],
    ["VP8L", [0x2e, ...lossless.slice(1)]],
  ])("is damaged in a chunk %s without its mark", (chunk, payload) => {
    expect(recognised(...webp(chunk, payload))).toEqual(unsized("webp"));
  });

  it("is a RIFF file of the kind WEBP", () => {
    expect(recognised(...webp("VP8X", extended, ["RIFF", "WAVE"]))).toBeNull();
    expect(recognised(...webp("VP8X", extended, ["RIFX", "WEBP"]))).toBeNull();
  });
});

describe("formats that are rarer", () => {
  const little = (value: number, length: number): readonly number[] =>
    Array.from({ length }, (_, at) => Math.floor(value / 256 ** at) % 256);

  it("GIF has its size behind the signature", () => {
    expect(recognised(...ascii("GIF89a"), ...little(1792, 2), ...little(1024, 2))).toEqual(sized("gif", 1792, 1024));
    expect(recognised(...ascii("GIF87a"), 1)).toEqual(unsized("gif"));
  });

  it("BMP may have a height below zero", () => {
    const head = (size: number, height: number): readonly number[] => [
      ...ascii("BM"),
      ...little(0, 12),
      ...little(size, 4),
      ...little(1024, 4),
      ...little(height >>> 0, 4),
    ];
    expect(recognised(...head(40, -1792))).toEqual(sized("bmp", 1024, 1792));
    expect(recognised(...head(124, 1792))).toEqual(sized("bmp", 1024, 1792));
    expect(recognised(...head(12, 1))).toEqual(unsized("bmp"));
    expect(recognised(...ascii("BM"))).toBeNull();
  });

  it("AVIF has its size in the first property ispe", () => {
    const file = [0, 0, 0, 28, ...ascii("ftypavif"), 0, 0, 0, 20, ...ascii("ispe"), 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 4, 0];
    expect(recognised(...file)).toEqual(sized("avif", 1792, 1024));
    expect(recognised(...file.slice(0, 20))).toEqual(unsized("avif"));
  });
});

describe("SVG", () => {
  const svg = (text: string): unknown => recognised(...ascii(text));

  it("has its size in the attributes of its root", () => {
    expect(svg(`<svg xmlns='http://www.w3.org/2000/svg' width='1792' height='1024'><path/></svg>`)).toEqual(
      sized("svg", 1792, 1024),
    );
    const prolog = `<?xml version="1.0"?>\n<!-- a > b --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">`;
    expect(svg(`${prolog}\n<svg height="1024px" width = "512.0">`)).toEqual(sized("svg", 512, 1024));
  });

  it("may have a type of document with declarations, a prefix, and markup inside its attributes", () => {
    const root = `<svg width="512" height="256">`;
    for (const subset of [`<!ENTITY a "b">`, `<!ENTITY a ']>'>`, `<!-- it's ] > -->`, `<?a ]> ?>`, `<!ENTITY a "<!-- ">`])
      expect(svg(`<!DOCTYPE svg [${subset}]>\n${root}`)).toEqual(sized("svg", 512, 256));
    expect(svg(`<svg:svg xmlns:svg="http://www.w3.org/2000/svg" width="8" height="4">`)).toEqual(sized("svg", 8, 4));
    expect(svg(`<svg aria-label="a > b" width="8" height="4">`)).toEqual(sized("svg", 8, 4));
    expect(svg(`<svg aria-label=" width='2' height='2'" width="8" height="4">`)).toEqual(sized("svg", 8, 4));
  });

  it("may have a root that is long, or cut", () => {
    expect(svg(`<svg data-a="${"a".repeat(5000)}" width="8" height="4">`)).toEqual(sized("svg", 8, 4));
    expect(svg(`<svg width="8" height="4" data-a="${"a".repeat(99_999)}">`)).toEqual(unsized("svg"));
  });

  it("has none where its sides are not stated in pixels", () => {
    for (const root of [`<svg viewBox="0 0 8 8">`, `<svg width="100%" height="100%">`, `<svg width="1cm" height="1cm">`, "<svg>"])
      expect(svg(root)).toEqual(unsized("svg"));
  });

  it("is no page that holds one, and no other element", () => {
    for (const text of ["<!doctype html><html><svg></svg></html>", "<svgs>", "<html>", "an <svg> in a text", "<!-- <svg> "])
      expect(svg(text)).toBeNull();
    expect(svg("<!---->".repeat(500))).toBeNull();
    expect(svg(`<!DOCTYPE html [<!ENTITY a "<svg>">]><html>`)).toBeNull();
    expect(svg(`<!DOCTYPE svg [<!ENTITY a "b"> <svg width="1" height="1">`)).toBeNull();
  });
});
