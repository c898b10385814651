import { readFileSync } from "node:fs";
import { toneOf, waveFile } from "../../src/core/exchange/bodies/wave-file.ts";
import type { MultipartPart } from "../../src/core/exchange/send-request.ts";
import { packageFolder } from "../../src/schemas/package-folder.ts";

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

/** RIFF/WAVE, 16-bit mono PCM: a tone of 440 Hz. */
export function makeWav(seconds = 1): Uint8Array {
  const samplesPerSecond = 16_000;
  const samples = Math.round(seconds * samplesPerSecond);
  return waveFile({ samplesPerSecond, bits: 16, samples, sampleAt: toneOf(440, samplesPerSecond, 8000) });
}
