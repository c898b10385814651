import type { MultipartFile, MultipartValue } from "@fastify/multipart";
import { audioFormats, readAudio } from "../../content/audio.ts";
import { languageCodes } from "../../content/language-codes.ts";
import { transcribe } from "../../content/transcript.ts";
import type { Lease } from "../../engine/admission.ts";
import { audioCostMicros } from "../../engine/spend/prices.ts";
import type { Call } from "../call.ts";
import type { Operation, Read } from "../operation.ts";
import { invalidField } from "../problem.ts";
import { readModel, validate } from "../read-body.ts";
import { respondJson, writeText } from "../respond.ts";
import { runJob } from "../run-job.ts";

interface TranscriptionInput {
  readonly model: string;
  readonly language: string | null;
  readonly bytes: Buffer;
  readonly seconds: number;
}

/** Parts of the form; the file stands for its name, so that one schema can name every failing field. */
interface FormFields {
  readonly file?: string;
  readonly model: string;
  readonly language?: string;
}

export const transcriptions: Operation<TranscriptionInput> = {
  endpoint: "transcriptions",
  read: readTranscription,
  work: (_, { seconds }) => ({
    streaming: false,
    promptTokens: 0,
    maxCompletionTokens: 0,
    requestedMaxTokens: null,
    maxCostMicros: audioCostMicros(seconds),
  }),
  serve: serveTranscription,
};

const fileExpected = `audio file, one of ${audioFormats.join(", ")}`;

async function readTranscription(call: Call): Promise<Read<TranscriptionInput>> {
  const { switches } = call.service;
  if (!call.request.isMultipart()) {
    if (switches.on("audio/json-accepted"))
      return { kind: "read", input: { model: "reference-transcription", language: null, bytes: Buffer.alloc(1), seconds: 1 } };
    return { kind: "refused", problem: invalidField("content-type", "multipart/form-data") };
  }
  const form = await readForm(call);
  if (form === null)
    return { kind: "refused", problem: invalidField("body", "complete multipart/form-data with a file of at most 25 MiB") };
  const read = validate<FormFields>(call, "transcriptions", form.fields);
  if (read.kind === "refused") return read;
  const { model, language = null, file } = read.input;
  if (language !== null && !languageCodes.has(language)) {
    return { kind: "refused", problem: invalidField("language", "two-letter code of ISO 639-1") };
  }
  const known = readModel(call, model, "transcription");
  if (known.kind === "refused") return known;
  const audio = readAudio(form.bytes);
  if (audio === null && file !== undefined) {
    if (switches.on("audio/corrupt-500")) throw new Error("decoder failed");
    if (!switches.on("audio/corrupt-accepted")) return { kind: "refused", problem: invalidField("file", fileExpected) };
  }
  return { kind: "read", input: { model, language, bytes: form.bytes, seconds: audio?.seconds ?? 0 } };
}

/** All parts, the last of a name counts; null when the form is broken off, malformed or too large. */
async function readForm(
  call: Call,
): Promise<{ readonly fields: Readonly<Record<string, string>>; readonly bytes: Buffer } | null> {
  const fields: Record<string, string> = {};
  let bytes: Buffer = Buffer.alloc(0);
  try {
    for await (const part of call.request.parts()) {
      if (isFile(part)) {
        const content = await part.toBuffer();
        if (part.fieldname !== "file") continue;
        bytes = content;
        fields["file"] = part.filename;
      } else if (part.fieldname !== "file" && typeof part.value === "string") fields[part.fieldname] = part.value;
    }
  } catch {
    return null;
  }
  return { fields, bytes };
}

function isFile(part: MultipartFile | MultipartValue): part is MultipartFile {
  return part.type === "file";
}

async function serveTranscription(call: Call, input: TranscriptionInput, lease: Lease): Promise<void> {
  await runJob(call, lease, { kind: "audio", seconds: input.seconds }, async (pace) => {
    await call.service.engine.clock.sleepUntil(pace.endAtMs());
    lease.settle({
      ended: call.response.destroyed ? "aborted" : "completed",
      promptTokens: 0,
      completionTokens: 0,
      costMicros: audioCostMicros(input.seconds),
    });
    writeTranscript(call, input, lease);
  });
}

function writeTranscript(call: Call, input: TranscriptionInput, lease: Lease): void {
  const { switches, seed } = call.service;
  const text = transcribe(seed, input.model, input.bytes, input.seconds);
  const rate = lease.rateHeaders();
  if (switches.on("audio/plain-text")) return writeText(call, 200, text, rate, {}, "text/plain; charset=utf-8");
  if (switches.on("audio/text-absent")) return respondJson(call, 200, { transcript: text }, rate);
  if (switches.on("audio/text-null")) return respondJson(call, 200, { text: null }, rate);
  if (switches.on("audio/text-segments")) return respondJson(call, 200, { text: [{ start: 0, text }] }, rate);
  if (switches.on("audio/subtitles"))
    return writeText(call, 200, `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}\n`, rate, {}, "text/vtt");
  respondJson(call, 200, { text }, rate);
}
