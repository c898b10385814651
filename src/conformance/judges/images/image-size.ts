import { readSvg } from "./read-svg.ts";

export interface ImageSize {
  readonly format: "png" | "jpeg" | "webp" | "gif" | "bmp" | "avif" | "svg";
  readonly width: number;
  readonly height: number;
}

/**
 * The format by the first bytes; `size` is null for a known format whose header is cut or damaged. null: no known image format.
 */
export interface RecognisedImage {
  readonly format: ImageSize["format"];
  readonly size: ImageSize | null;
}

export function recogniseImage(bytes: Uint8Array): RecognisedImage | null {
  if (startsWith(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return { format: "png", size: readPng(bytes) };
  if (startsWith(bytes, 0, [0xff, 0xd8, 0xff])) return { format: "jpeg", size: readJpeg(bytes) };
  if (isText(bytes, 0, "RIFF") && isText(bytes, 8, "WEBP")) return { format: "webp", size: readWebp(bytes) };
  if (isText(bytes, 0, "GIF87a") || isText(bytes, 0, "GIF89a")) return { format: "gif", size: readGif(bytes) };
  if (isText(bytes, 0, "BM") && bytes.length >= 26) return { format: "bmp", size: readBmp(bytes) };
  if (isText(bytes, 4, "ftypavif") || isText(bytes, 4, "ftypavis")) return { format: "avif", size: readAvif(bytes) };
  const svg = readSvg(bytes);
  return svg === null ? null : { format: "svg", size: svg.size === null ? null : sized("svg", svg.size.width, svg.size.height) };
}

/** PNG (ISO/IEC 15948, section 11.2.2): width and height are the first fields of IHDR, which comes first. */
function readPng(bytes: Uint8Array): ImageSize | null {
  if (bytes.length < 24 || !isText(bytes, 12, "IHDR")) return null;
  return sized("png", bigEndian(bytes, 16, 4), bigEndian(bytes, 20, 4));
}

/** JPEG (ITU-T T.81, annex B): the first frame header (SOF) holds height and width. */
function readJpeg(bytes: Uint8Array): ImageSize | null {
  for (let at = 2; at + 8 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // C4, C8 and CC share the range of frame headers but are tables and extensions.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return sized("jpeg", bigEndian(bytes, at + 7, 2), bigEndian(bytes, at + 5, 2));
    if (marker === 0xd9 || marker === 0xda) return null;
    const standsAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    at += standsAlone ? 2 : 2 + bigEndian(bytes, at + 2, 2);
  }
  return null;
}

/** WebP (RFC 9649): lossy key frame, lossless header or extended canvas, whichever chunk comes first. */
function readWebp(bytes: Uint8Array): ImageSize | null {
  if (bytes.length < 30) return null;
  if (isText(bytes, 12, "VP8X")) return sized("webp", littleEndian(bytes, 24, 3) + 1, littleEndian(bytes, 27, 3) + 1);
  if (isText(bytes, 12, "VP8L") && bytes[20] === 0x2f) {
    const bits = littleEndian(bytes, 21, 4);
    return sized("webp", (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
  }
  if (isText(bytes, 12, "VP8 ") && startsWith(bytes, 23, [0x9d, 0x01, 0x2a])) {
    return sized("webp", littleEndian(bytes, 26, 2) & 0x3fff, littleEndian(bytes, 28, 2) & 0x3fff);
  }
  return null;
}

/** GIF89a, section 18: the logical screen follows the signature. */
function readGif(bytes: Uint8Array): ImageSize | null {
  return bytes.length < 10 ? null : sized("gif", littleEndian(bytes, 6, 2), littleEndian(bytes, 8, 2));
}

/** BMP with BITMAPINFOHEADER or a later one: a height below zero means that the rows begin at the top. */
function readBmp(bytes: Uint8Array): ImageSize | null {
  if (littleEndian(bytes, 14, 4) < 40) return null;
  const height = littleEndian(bytes, 22, 4) | 0;
  return sized("bmp", littleEndian(bytes, 18, 4), Math.abs(height));
}

/** AVIF (ISO/IEC 23008-12): the first property `ispe` is that of the picture itself in files of one picture. */
function readAvif(bytes: Uint8Array): ImageSize | null {
  for (let at = 12; at + 16 <= bytes.length; at += 1) {
    if (isText(bytes, at, "ispe")) return sized("avif", bigEndian(bytes, at + 8, 4), bigEndian(bytes, at + 12, 4));
  }
  return null;
}

function sized(format: ImageSize["format"], width: number, height: number): ImageSize | null {
  return width > 0 && height > 0 ? { format, width, height } : null;
}

function startsWith(bytes: Uint8Array, at: number, expected: readonly number[]): boolean {
  return expected.every((byte, index) => bytes[at + index] === byte);
}

function isText(bytes: Uint8Array, at: number, text: string): boolean {
  return startsWith(bytes, at, [...new TextEncoder().encode(text)]);
}

function bigEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let index = 0; index < length; index += 1) value = value * 256 + (bytes[at + index] ?? 0);
  return value;
}

function littleEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let index = length - 1; index >= 0; index -= 1) value = value * 256 + (bytes[at + index] ?? 0);
  return value;
}
