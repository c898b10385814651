import { optionLabels, optionsText } from "../../src/conformance/judging/option-labels.ts";
import type { Case } from "../../src/conformance/plan/case.ts";
import type { BoundaryForm, MultipartPart } from "../../src/core/exchange/send-request.ts";
import { type AudioFormat, audioPart } from "../requests/audio-fixtures.ts";
import { afterContinue, inChunks } from "../requests/framings.ts";
import { coverTuples } from "./cover-tuples.ts";

/** The parts of a form in the making: the file stands first. */
interface Form {
  readonly file: MultipartPart;
  readonly others: readonly MultipartPart[];
  readonly isFileLast: boolean;
  readonly boundary?: BoundaryForm;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Level {
  readonly name: string | null;
  readonly change: (form: Form) => Form;
}

const usual: Level = { name: null, change: (form) => form };

const ofFile = (name: string, change: (file: MultipartPart) => MultipartPart): Level => ({
  name,
  change: (form) => ({ ...form, file: change(form.file) }),
});
const inFormat = (format: AudioFormat): Level => ofFile(format, () => audioPart(format));
const withLanguage = (language: string): Level => ({
  name: `language-${language}`,
  change: (form) => ({ ...form, others: [...form.others, { name: "language", value: language }] }),
});
const boundedBy = (boundary: BoundaryForm): Level => ({
  name: `${boundary}-boundary`,
  change: (form) => ({ ...form, boundary }),
});
const framed = (name: string, headers: Readonly<Record<string, string>>): Level => ({
  name,
  change: (form) => ({ ...form, headers }),
});
const named = (level: string, before: string): Level =>
  ofFile(level, (file) => ({ ...file, filename: file.filename?.replace("speech", before) ?? "" }));

/** The name of the file follows its format, and is changed after it. */
const options: readonly (readonly Level[])[] = [
  [usual, inFormat("mp3"), inFormat("webm")],
  [usual, named("name-with-spaces", "my first speech (1)"), named("name-in-other-scripts", "речь-口语")],
  // The type of a file of which a sender knows none (RFC 7578, section 4.4).
  [usual, ofFile("octet-stream", (file) => ({ ...file, contentType: "application/octet-stream" }))],
  [usual, { name: "file-last", change: (form) => ({ ...form, isFileLast: true }) }],
  [usual, withLanguage("en"), withLanguage("de")],
  [usual, boundedBy("quoted"), boundedBy("all-characters"), boundedBy("longest")],
  [usual, framed("chunked", inChunks), framed("expect-continue", afterContinue)],
];

/** Valid forms: each so many values of as many options stand in one of them. */
export function audioOptions(strength: 2 | 3): Case {
  const rows = coverTuples(
    options.map((levels) => levels.length),
    strength,
  );
  return {
    id: "audio/options",
    suite: "audio",
    title: `Takes each ${strength === 2 ? "two" : "three"} options of a form together`,
    covers: ["AUD-024", "AUD-025", "AUD-026", "REQ-006", "REQ-007"],
    needs: [{ kind: "model", use: "transcription" }],
    cost: { requests: { transcriptions: rows.length }, tokens: 0, audioSeconds: rows.length },
    async run({ send, manifest }) {
      const model: MultipartPart = { name: "model", value: manifest.models.transcription ?? "" };
      for (const [number, row] of rows.entries()) {
        const levels = row.flatMap((level, place) => options[place]?.[level] ?? []);
        const names = levels.flatMap(({ name }) => name ?? []);
        const plain: Form = { file: audioPart("wav"), others: [model], isFileLast: false };
        const { file, others, isFileLast, boundary, headers = {} } = levels.reduce((form, { change }) => change(form), plain);
        await send({
          endpoint: "transcriptions",
          label: optionLabels.label(optionsText(number + 1, names)),
          headers,
          body: {
            kind: "multipart",
            parts: isFileLast ? [...others, file] : [file, ...others],
            ...(boundary === undefined ? {} : { boundary }),
          },
        });
      }
    },
  };
}
