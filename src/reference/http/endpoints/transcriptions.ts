import { audioFormats, readAudio } from "../../content/audio.ts";
import type { Ticket } from "../../engine/admission.ts";
import { audioCostMicros } from "../../engine/spend/prices.ts";
import type { Call } from "../call.ts";
import { freeWork, type Operation, type Read } from "../operation.ts";
import { invalidField } from "../problem.ts";
import { readModel, validate } from "../read-body.ts";
import { respondJson, writeText } from "../respond.ts";
import { runWholeJob } from "../run-job.ts";
import type { TranscriptionInput } from "./transcript-rules.ts";
import { createHash } from "node:crypto";
import { createRandom } from "../../../core/random.ts";

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
  serve: async (call, input, ticket) => {
    const bill = { promptTokens: 0, costMicros: audioCostMicros(input.seconds) };
    await runWholeJob(call, ticket, { kind: "audio", seconds: input.seconds }, bill, () => writeTranscript(call, input, ticket));
  },
};

const fileExpected = `audio file, one of ${audioFormats.join(", ")}`;

async function readTranscription(call: Call): Promise<Read<TranscriptionInput>> {
  const rules = call.service.seams.transcripts;
  if (!call.request.isMultipart()) {
    const input = rules.withoutForm();
    if (input !== null) return { kind: "read", input };
    return { kind: "refused", problem: invalidField("content-type", "multipart/form-data") };
  }
  const form = rules.findsBoundary(call.incoming.headers["content-type"] ?? "") ? await readForm(call) : null;
  if (form === null)
    return { kind: "refused", problem: invalidField("body", "complete multipart/form-data with a file of at most 25 MiB") };
  const read = validate<FormFields>(call, "transcriptions", form.fields);
  if (read.kind === "refused") return read;
  const { model, language, file } = read.input;
  if (language !== undefined && !languageCodes.has(language)) {
    return { kind: "refused", problem: invalidField("language", "two-letter code of ISO 639-1") };
  }
  const known = readModel(call, model, "transcription");
  if (known.kind === "refused") return known;
  if (file !== undefined && !rules.acceptsMediaType(form.mediaType))
    return { kind: "refused", problem: invalidField("file", fileExpected) };
  const bytes = await rules.recording(file ?? "", form.bytes);
  const audio = readAudio(bytes);
  if (audio === null && file !== undefined && !rules.acceptsUndecodable()) {
    return { kind: "refused", problem: invalidField("file", fileExpected) };
  }
  return { kind: "read", input: { model, bytes, seconds: audio?.seconds ?? 0 } };
}

interface Form {
  readonly fields: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** Of the recording. */
  readonly mediaType: string;
}

/** All parts, the last of a name counts; null when the form is broken off, malformed or too large. */
async function readForm(call: Call): Promise<Form | null> {
  const fields: Record<string, string> = {};
  let mediaType = "";
  let bytes: Buffer = Buffer.alloc(0);
  try {
    for await (const part of call.request.parts()) {
      if (part.type === "file") {
        const content = await part.toBuffer();
        if (part.fieldname !== "file") continue;
        bytes = content;
        mediaType = part.mimetype;
        fields["file"] = part.filename;
      } else if (part.fieldname !== "file" && typeof part.value === "string") fields[part.fieldname] = part.value;
    }
  } catch {
    return null;
  }
  return { fields, bytes, mediaType };
}

function writeTranscript(call: Call, input: TranscriptionInput, ticket: Ticket): void {
  const { seams, seed } = call.service;
  const answer = seams.transcripts.answer(transcribe(seed, input.model, input.bytes, input.seconds));
  const rate = ticket.rateHeaders();
  if ("json" in answer) respondJson(call, 200, answer.json, rate);
  else writeText(call, 200, answer.text, rate, {}, answer.contentType);
}

/** The two-letter codes of ISO 639-1. */
const languageCodes: ReadonlySet<string> = new Set(
  (
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu " +
    "fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km " +
    "kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om " +
    "or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr " +
    "ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
  ).split(" "),
);

const words =
  "well so the today we speak about a small test of sound and it is clear that everyone can hear this quiet voice now".split(" ");

/** About two and a half words a second, the same for the same bytes; at least one word. */
function transcribe(seed: number, model: string, bytes: Buffer, seconds: number): string {
  const digest = createHash("sha256").update(`${seed}/${model}/`).update(bytes).digest();
  const random = createRandom(digest.readUInt32BE(0));
  const count = Math.max(1, Math.min(Math.round(seconds * 2.5), 2000));
  const text = Array.from({ length: count }, () => words[random.integer(0, words.length - 1)] ?? "so").join(" ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
