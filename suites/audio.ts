import { formatLabels, languageLabel } from "../src/conformance/judges/audio/transcription-acceptance.ts";
import type { Case, CaseTools, Need } from "../src/conformance/plan/case.ts";
import type { Intent } from "../src/core/exchange/intent.ts";
import type { Manifest } from "../src/core/manifest.ts";
import type { MultipartPart } from "../src/core/exchange/send-request.ts";
import { type AudioFormat, audioPart, filePart, makeWav, readRecording } from "./requests/audio-fixtures.ts";
import { casesOf } from "./cases-of.ts";
import { question, violates } from "./requests/intents.ts";
import { jsonRequest } from "./requests/json-request.ts";

const needs: readonly Need[] = [{ kind: "model", use: "transcription" }];
const endpoint = "transcriptions";
const formats: readonly AudioFormat[] = ["wav", "mp3", "mp4", "mpeg", "mpga", "m4a", "webm"];

function modelPart(manifest: Manifest): MultipartPart {
  return { name: "model", value: manifest.models.transcription ?? "" };
}

async function upload(tools: CaseTools, label: string, parts: readonly MultipartPart[], intent?: Intent): Promise<void> {
  await tools.send({ endpoint, label, body: { kind: "multipart", parts }, intent });
}

async function uploadFile(tools: CaseTools, label: string, file: MultipartPart, intent?: Intent): Promise<void> {
  await upload(tools, label, [file, modelPart(tools.manifest)], intent);
}

function cost(requests: number): Case["cost"] {
  return { requests: { transcriptions: requests }, tokens: 0, audioSeconds: requests };
}

/** Section "POST /v1/audio/transcriptions". */
export const audioCases: readonly Case[] = casesOf({ suite: "audio", needs }, [
  {
    id: "audio/formats",
    title: "Transcribes a recording in every listed format",
    covers: [
      "SVC-006",
      "AUD-001",
      "AUD-005",
      "AUD-006",
      "AUD-007",
      "AUD-008",
      "AUD-009",
      "AUD-010",
      "AUD-011",
      "AUD-016",
      "AUD-018",
      "AUD-019",
    ],
    cost: cost(formats.length),
    async run(tools) {
      for (const format of formats) await uploadFile(tools, formatLabels.label(format), audioPart(format));
    },
  },
  {
    id: "audio/language",
    title: "Takes a language",
    covers: ["AUD-014"],
    cost: cost(1),
    async run(tools) {
      const language: MultipartPart = { name: "language", value: "en" };
      await upload(tools, languageLabel, [audioPart("wav"), modelPart(tools.manifest), language]);
    },
  },
  {
    id: "audio/unstated-values",
    title: "Records the answers to values without a stated rule",
    covers: ["AUD-013", "AUD-015"],
    cost: cost(4),
    async run(tools) {
      await uploadFile(
        tools,
        "other-name",
        filePart("speech.mp3", "audio/mpeg", makeWav()),
        question("AUD-013", "a WAV recording under the name and media type of mp3"),
      );
      await uploadFile(
        tools,
        "program-stream",
        filePart("speech.mpeg", "video/mpeg", readRecording("speech.mpeg")),
        question("AUD-013", "an MPEG program stream with audio as mpeg"),
      );
      for (const language of ["english", "xx"]) {
        await upload(
          tools,
          `language-${language}`,
          [audioPart("wav"), modelPart(tools.manifest), { name: "language", value: language }],
          question("AUD-015", `the language "${language}"`),
        );
      }
    },
  },
  {
    id: "audio/rejects-incomplete-form",
    title: "Refuses a form without file or model, and an unknown model",
    covers: ["AUD-003", "AUD-004", "AUD-022", "ERR-021"],
    cost: cost(4),
    async run(tools) {
      const file = audioPart("wav");
      await uploadFile(tools, "twin", file);
      await upload(tools, "no-file", [modelPart(tools.manifest)], violates("AUD-003", "missing-field", { field: "file" }));
      await upload(tools, "no-model", [file], violates("AUD-004", "missing-field", { field: "model" }));
      await upload(
        tools,
        "unknown-model",
        [file, { name: "model", value: "assay-no-such-model-7f3a" }],
        violates("AUD-022", "unknown-model", { field: "model" }),
      );
    },
  },
  {
    id: "audio/rejects-other-files",
    title: "Refuses files that are no recording in a listed format",
    covers: ["AUD-012", "AUD-020"],
    cost: cost(5),
    async run(tools) {
      const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
      const noise = Uint8Array.from({ length: 2048 }, () => tools.random.integer(0, 255));
      await uploadFile(tools, "twin", audioPart("wav"));
      const files = [
        ["text", "AUD-012", filePart("notes.txt", "text/plain", bytesOf("These are notes and no recording.\n"))],
        ["flac", "AUD-012", filePart("speech.flac", "audio/flac", readRecording("speech.flac"))],
        ["empty", "AUD-020", filePart("speech.wav", "audio/wav", new Uint8Array())],
        ["noise", "AUD-020", filePart("speech.wav", "audio/wav", noise)],
      ] as const;
      for (const [label, requirement, file] of files) {
        await uploadFile(tools, label, file, violates(requirement, "unsupported-format", { field: "file" }));
      }
    },
  },
  {
    id: "audio/rejects-other-bodies",
    title: "Refuses a body that is no complete multipart form",
    covers: ["AUD-002", "AUD-023"],
    cost: cost(4),
    async run(tools) {
      const intent = violates("AUD-023", "wrong-media-type");
      const form = [
        "--assay-boundary",
        'Content-Disposition: form-data; name="model"',
        "",
        tools.manifest.models.transcription ?? "",
        "--assay-boundary",
        'Content-Disposition: form-data; name="file"; filename="speech.wav"',
        "Content-Type: audio/wav",
        "",
        "RIFF",
      ].join("\r\n");
      await uploadFile(tools, "twin", audioPart("wav"));
      const value = { model: tools.manifest.models.transcription, file: "speech.wav" };
      await tools.send(jsonRequest(endpoint, "json", value, violates("AUD-002", "wrong-media-type")));
      for (const [label, contentType] of [
        ["broken-off", "multipart/form-data; boundary=assay-boundary"],
        ["no-boundary", "multipart/form-data"],
      ] as const) {
        await tools.send({ endpoint, label, body: { kind: "raw", bytes: form, contentType }, intent });
      }
    },
  },
]);
