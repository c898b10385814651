import { readMp3Seconds, readMpegSystemSeconds } from "./mpeg.ts";
import { readWebmSeconds } from "./webm.ts";

export interface AudioInfo {
  readonly container: "wav" | "mp3" | "mpeg" | "mp4" | "webm";
  /** Playing time; 0 when the container is sound but does not say. */
  readonly seconds: number;
}

/** File name endings that the specification lists (section "POST /v1/audio/transcriptions"). */
export const audioFormats = ["mp3", "mp4", "mpeg", "mpga", "m4a", "wav", "webm"] as const;

/**
 * Recognises the container by its bytes and reads how long it plays. null: none of the containers behind the listed formats,
 * or one that is damaged (a header that promises more than there is, no frame, no duration box).
 */
export function readAudio(bytes: Buffer): AudioInfo | null {
  for (const [container, read] of readers) {
    const seconds = read(bytes);
    if (seconds !== null) return { container, seconds };
  }
  return null;
}

const readers: readonly (readonly [AudioInfo["container"], (bytes: Buffer) => number | null])[] = [
  ["wav", readWavSeconds],
  ["mp4", readMp4Seconds],
  ["webm", readWebmSeconds],
  ["mpeg", readMpegSystemSeconds],
  ["mp3", readMp3Seconds],
];

/** RIFF/WAVE: data bytes divided by the byte rate of the format chunk. null when it is not WAVE or lacks one of the two. */
function readWavSeconds(bytes: Buffer): number | null {
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WAVE") return null;
  let byteRate = 0;
  for (let at = 12; at + 8 <= bytes.length;) {
    const id = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const body = at + 8;
    if (id === "fmt " && size >= 16 && body + 16 <= bytes.length) byteRate = bytes.readUInt32LE(body + 8);
    if (id === "data") {
      // Writers that stream leave the size at its greatest value: then the rest of the file is the data.
      const available = Math.min(size, bytes.length - body);
      const cut = size !== 0xffffffff && size > bytes.length - body;
      return byteRate > 0 && available > 0 && !cut ? available / byteRate : null;
    }
    at = body + size + (size % 2);
  }
  return null;
}

/** ISO base media file format (ISO/IEC 14496-12): time scale and duration of `moov/mvhd`, or of the fragments' `mehd`. */
function readMp4Seconds(bytes: Buffer): number | null {
  if (bytes.length < 16 || bytes.toString("latin1", 4, 8) !== "ftyp") return null;
  const movie = findBox(bytes, 0, bytes.length, "moov");
  if (movie === null) return null;
  const header = findBox(bytes, movie.start, movie.end, "mvhd");
  if (header === null || header.end - header.start < 20) return null;
  const wide = bytes[header.start] === 1;
  if (wide && header.end - header.start < 32) return null;
  const scale = bytes.readUInt32BE(header.start + (wide ? 20 : 12));
  const duration = wide ? Number(bytes.readBigUInt64BE(header.start + 24)) : bytes.readUInt32BE(header.start + 16);
  if (scale === 0) return null;
  return duration > 0 ? duration / scale : fragmentSeconds(bytes, movie, scale);
}

/** Fragmented files announce their length in `mvex/mehd`, or not at all. */
function fragmentSeconds(bytes: Buffer, movie: Box, scale: number): number {
  const extension = findBox(bytes, movie.start, movie.end, "mvex");
  const header = extension === null ? null : findBox(bytes, extension.start, extension.end, "mehd");
  if (header === null || header.end - header.start < 8) return 0;
  const wide = bytes[header.start] === 1 && header.end - header.start >= 12;
  return (wide ? Number(bytes.readBigUInt64BE(header.start + 4)) : bytes.readUInt32BE(header.start + 4)) / scale;
}

interface Box {
  readonly start: number;
  readonly end: number;
}

/** Payload of the first box of that type between two offsets; null when there is none or a size is impossible. */
function findBox(bytes: Buffer, from: number, to: number, type: string): Box | null {
  for (let at = from; at + 8 <= to;) {
    const short = bytes.readUInt32BE(at);
    const wide = short === 1 && at + 16 <= to;
    const size = wide ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? to - at : short;
    const header = wide ? 16 : 8;
    if (size < header || at + size > to) return null;
    if (bytes.toString("latin1", at + 4, at + 8) === type) return { start: at + header, end: at + size };
    at += size;
  }
  return null;
}
