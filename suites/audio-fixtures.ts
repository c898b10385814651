import { readFileSync } from "node:fs";
import type { MultipartPart } from "../src/core/exchange/send-request.ts";
import { packageFolder } from "../src/schemas/package-folder.ts";

/** File name endings that the specification lists (section "POST /v1/audio/transcriptions"). */
export type AudioFormat = "mp3" | "mp4" | "mpeg" | "mpga" | "m4a" | "wav" | "webm";

/** The recording and media type behind each ending; `mpeg` and `mpga` are MPEG audio, the plainest meaning (AMB-33). */
const recordings: Readonly<Record<AudioFormat, { readonly file: string | null; readonly mediaType: string }>> = {
  mp3: { file: "speech.mp3", mediaType: "audio/mpeg" },
  mp4: { file: "speech.mp4", mediaType: "audio/mp4" },
  mpeg: { file: "speech.mp3", mediaType: "audio/mpeg" },
  mpga: { file: "speech.mp3", mediaType: "audio/mpeg" },
  m4a: { file: "speech.m4a", mediaType: "audio/mp4" },
  wav: { file: null, mediaType: "audio/wav" },
  webm: { file: "speech.webm", mediaType: "audio/webm" },
};

/** A file part with one second of audio in the given format. */
export function audioPart(format: AudioFormat): MultipartPart {
  const { file, mediaType } = recordings[format];
  return filePart(`speech.${format}`, mediaType, file === null ? makeWav() : readRecording(file));
}

export function filePart(filename: string, contentType: string, value: Uint8Array): MultipartPart {
  return { name: "file", value, filename, contentType };
}

/** A committed recording of `suites/audio/` (made by `scripts/make-audio-fixtures.mjs`). */
export function readRecording(file: string): Uint8Array {
  return readFileSync(new URL(`suites/audio/${file}`, packageFolder));
}

const sampleRate = 16_000;

/** RIFF/WAVE, 16-bit mono PCM: a tone of 440 Hz. */
export function makeWav(seconds = 1): Uint8Array {
  const samples = Math.round(seconds * sampleRate);
  const bytes = new Uint8Array(44 + samples * 2);
  const view = new DataView(bytes.buffer);
  const write = (at: number, text: string): void => bytes.set(new TextEncoder().encode(text), at);
  write(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, "data");
  view.setUint32(40, samples * 2, true);
  for (let index = 0; index < samples; index += 1) {
    view.setInt16(44 + index * 2, Math.round(8000 * Math.sin((2 * Math.PI * 440 * index) / sampleRate)), true);
  }
  return bytes;
}
