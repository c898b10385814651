import { readMp3Seconds, readMpegSystemSeconds } from "./mpeg.ts";
import { readMp4Seconds } from "./mp4.ts";
import { readWavSeconds } from "./wav.ts";
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
