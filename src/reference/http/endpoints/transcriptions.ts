import type { MultipartFile, MultipartValue } from "@fastify/multipart";
import { audioFormats, readAudio } from "../../content/audio.ts";
import { languageCodes } from "../../content/language-codes.ts";
import { transcribe } from "../../content/transcript.ts";
import type { Lease } from "../../engine/admission.ts";
import { audioCostMicros } from "../../engine/spend/prices.ts";
import type { Call } from "../call.ts";
import { freeWork, type Operation, type Read } from "../operation.ts";
import { invalidField } from "../problem.ts";
import { readModel, validate } from "../read-body.ts";
import { respondJson, writeText } from "../respond.ts";
import { runWholeJob } from "../run-job.ts";
import type { TranscriptionInput } from "./transcript-rules.ts";

/** Parts of the form; the file stands for its name, so that one schema can name every failing field. */
interface FormFields {
  readonly file?: string;
  readonly model: string;
  readonly language?: string;
}

export const transcriptions: Operation<TranscriptionInput> = {
  endpoint: "transcriptions",
  read: readTranscription,
  work: ({ seconds }) => ({ ...freeWork, maxCostMicros: audioCostMicros(seconds) }),
  serve: serveTranscription,
};

const fileExpected = `audio file, one of ${audioFormats.join(", ")}`;

async function readTranscription(call: Call): Promise<Read<TranscriptionInput>> {
  const rules = call.service.seams.transcripts;
  if (!call.request.isMultipart()) {
    const input = rules.withoutForm();
    if (input !== null) return { kind: "read", input };
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
  if (audio === null && file !== undefined && !rules.acceptsUndecodable()) {
    return { kind: "refused", problem: invalidField("file", fileExpected) };
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
  const bill = { promptTokens: 0, costMicros: audioCostMicros(input.seconds) };
  await runWholeJob(call, lease, { kind: "audio", seconds: input.seconds }, bill, () => writeTranscript(call, input, lease));
}

function writeTranscript(call: Call, input: TranscriptionInput, lease: Lease): void {
  const { seams, seed } = call.service;
  const answer = seams.transcripts.answer(transcribe(seed, input.model, input.bytes, input.seconds));
  const rate = lease.rateHeaders();
  if ("json" in answer) respondJson(call, 200, answer.json, rate);
  else writeText(call, 200, answer.text, rate, {}, answer.contentType);
}
