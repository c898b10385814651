import { crc32, deflateSync } from "node:zlib";

/** The answers of the models of the foreign service: the same for the same request. */

/** About one token for four letters, at least one a word. */
export function countTokens(text: string): number {
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .reduce((sum, word) => sum + Math.ceil(word.length / 4), 0);
}

export function wordsAbout(text: string): readonly string[] {
  const subject = text.slice(0, 60).split(/\s+/);
  const isLong = /long|two hundred/i.test(text);
  const base = ["Here", "is", "what", "I", "know:", ...subject, "\u2014", "gr\u00fcn", "\u{1F680}."];
  return isLong ? Array.from({ length: 420 }, (_, index) => base[index % base.length] ?? "more") : base;
}

/** Not of length 1, as some models give them. */
export function vectorOf(text: string, length: number): readonly number[] {
  let state = 2166136261;
  for (const byte of Buffer.from(text)) state = Math.imul(state ^ byte, 16777619) >>> 0;
  return Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.fround((state >> 8) / 4_194_304);
  });
}

export function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}

/** A grey picture. */
export function pngOf(width: number, height: number): Buffer {
  const chunk = (kind: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(kind, "latin1"), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.writeUInt8(1, 8);
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)));
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Fields and files of a form; null: it cannot be taken apart. */
export function readForm(body: Buffer, mediaType: string): ReadonlyMap<string, { file: string | null; data: Buffer }> | null {
  const boundary = /boundary="?([^";]+)/.exec(mediaType)?.[1];
  const text = body.toString("latin1");
  if (boundary === undefined || !text.includes(`--${boundary}--`)) return null;
  const parts = new Map<string, { file: string | null; data: Buffer }>();
  for (const part of text.split(`--${boundary}`).slice(1, -1)) {
    const gap = part.indexOf("\r\n\r\n");
    const name = /name="([^"]*)"/.exec(part.slice(0, gap))?.[1];
    if (gap === -1 || name === undefined) return null;
    const file = /filename="([^"]*)"/.exec(part.slice(0, gap))?.[1] ?? null;
    parts.set(name, { file, data: Buffer.from(part.slice(gap + 4, -2), "latin1") });
  }
  return parts;
}

/** Looks at the first bytes, not at the name. */
export function isRecording(data: Buffer): boolean {
  const starts = (text: string, at = 0): boolean => data.toString("latin1", at, at + text.length) === text;
  const isMpeg = data[0] === 0xff && ((data[1] ?? 0) & 0xe0) === 0xe0;
  const isStream = data[2] === 0x01 && data[3] === 0xba;
  return (
    data.length > 16 &&
    (starts("RIFF") || starts("ID3") || starts("ftyp", 4) || starts("\u001aE\u00df\u00a3") || isMpeg || isStream)
  );
}

/** The first instant of the hour, day or month in UTC. */
export function floorTo(unixMs: number, step: string): number {
  const date = new Date(unixMs);
  date.setUTCMinutes(0, 0, 0);
  if (step !== "hour") date.setUTCHours(0);
  if (step === "month") date.setUTCDate(1);
  return date.getTime();
}
