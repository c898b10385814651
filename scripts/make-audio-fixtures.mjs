// Makes the recordings of suites/audio/ with ffmpeg (libflite, libmp3lame, libopus): one second of synthetic speech, 16 kHz, mono.
// The files are committed, so this runs only when a format is added. WAV is generated in code instead (suites/requests/audio-fixtures.ts).
import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../suites/audio");
mkdirSync(folder, { recursive: true });
/** Path of ffmpeg where it is not on the search path. */
const encoder = argv[2] ?? "ffmpeg";
const speech = ["-f", "lavfi", "-i", "flite=text='this is a test':voice=slt", "-t", "1", "-ac", "1"];
const exact = ["-fflags", "+bitexact", "-flags:a", "+bitexact", "-map_metadata", "-1"];

/** File name and how it is encoded. */
const recordings = {
  "speech.mp3": ["-ar", "16000", "-c:a", "libmp3lame", "-b:a", "24k", "-write_xing", "0", "-id3v2_version", "0", "-f", "mp3"],
  "speech.mp4": ["-ar", "16000", "-c:a", "aac", "-b:a", "24k", "-f", "mp4"],
  "speech.m4a": ["-ar", "16000", "-c:a", "aac", "-b:a", "24k", "-f", "ipod"],
  "speech.webm": ["-ar", "16000", "-c:a", "libopus", "-b:a", "16k", "-f", "webm"],
  // MPEG-1 system stream with layer II audio: the other meaning of "mpeg".
  "speech.mpeg": ["-ar", "32000", "-c:a", "mp2", "-b:a", "32k", "-f", "mpeg"],
  // Not listed by the specification: has to be refused.
  "speech.flac": ["-t", "0.1", "-ar", "8000", "-sample_fmt", "s16", "-c:a", "flac", "-f", "flac"],
};

for (const [name, encoding] of Object.entries(recordings)) {
  const file = join(folder, name);
  execFileSync(encoder, ["-v", "error", "-y", ...speech, ...exact, ...encoding, file], { stdio: "inherit" });
  console.log(`${name}: ${statSync(file).size} bytes`);
}
