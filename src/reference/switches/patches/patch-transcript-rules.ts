import { lawfulTranscriptRules, type TranscriptRules } from "../../http/endpoints/transcript-rules.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";
import { setTimeout } from "node:timers/promises";

/** Uploads that arrive within it overlap. */
const togetherMs = 100;

export function patchTranscriptRules(switches: Switchboard): TranscriptRules {
  const lawful = lawfulTranscriptRules;
  /** The last recording of each name, for the defect `audio/uploads-share-a-file`. */
  const written = new Map<string, Buffer>();
  return {
    findsBoundary: firstChange(switches, lawful.findsBoundary, {
      "audio/quoted-boundary-refused": (contentType) => !contentType.includes('"'),
    }),
    withoutForm: firstChange(switches, lawful.withoutForm, {
      "audio/json-accepted": () => ({ model: "reference-transcription", bytes: Buffer.alloc(1), seconds: 1 }),
    }),
    acceptsMediaType: firstChange(switches, lawful.acceptsMediaType, {
      "audio/octet-stream-refused": (mediaType) => !mediaType.startsWith("application/octet-stream"),
    }),
    acceptsUndecodable: firstChange(switches, lawful.acceptsUndecodable, {
      "audio/corrupt-500": () => {
        throw new Error("decoder failed");
      },
      "audio/corrupt-accepted": () => true,
    }),
    recording: firstChange(switches, lawful.recording, {
      "audio/uploads-share-a-file": async (name, bytes) => {
        written.set(name, bytes);
        await setTimeout(togetherMs);
        return written.get(name) ?? bytes;
      },
    }),
    answer: firstChange(switches, lawful.answer, {
      "audio/plain-text": (text) => ({ text, contentType: "text/plain; charset=utf-8" }),
      "audio/text-absent": (transcript) => ({ json: { transcript } }),
      "audio/text-null": () => ({ json: { text: null } }),
      "audio/text-segments": (text) => ({ json: { text: [{ start: 0, text }] } }),
      "audio/subtitles": (text) => ({ text: `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}\n`, contentType: "text/vtt" }),
    }),
  };
}
