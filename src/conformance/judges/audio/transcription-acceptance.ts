import { createAcceptanceJudge, framingRows } from "../../judging/acceptance-judge.ts";
import { type LabelSeries, labelSeries } from "../../judging/label-series.ts";
import { showsOption } from "../../judging/option-labels.ts";
import type { RunJudge } from "../../judging/judge.ts";

const formats = {
  "AUD-005": "mp3",
  "AUD-006": "mp4",
  "AUD-007": "mpeg",
  "AUD-008": "mpga",
  "AUD-009": "m4a",
  "AUD-010": "wav",
  "AUD-011": "webm",
} as const;

/** Labels of the recordings, one for each format. */
export const formatLabels: LabelSeries<[format: (typeof formats)[keyof typeof formats]]> = labelSeries("format");
/** Label of a recording with its language. */
export const languageLabel = "language";

const boundaries = {
  "quoted-boundary": "a form whose boundary stands in quotation marks",
  "all-characters-boundary": "a form whose boundary holds every kind of character that it may hold",
  "longest-boundary": "a form whose boundary has the 70 characters that it may have",
};

const wav = formatLabels.label("wav");

/** Every listed format and the optional language have to be accepted. The case binds a request to its row by the label. */
export const transcriptionAcceptance: RunJudge = createAcceptanceJudge({
  id: "transcription-acceptance",
  endpoint: "transcriptions",
  capability: "SVC-006",
  rows: [
    { requirement: "AUD-001", what: "a WAV file and a model", when: (_body, { label }) => label === wav },
    { requirement: "AUD-016", what: "a form without a language", when: (_body, { label }) => label === wav },
    ...Object.entries(formats).map(([requirement, format]) => ({
      requirement,
      what: `a recording in ${format}`,
      when: (_body: unknown, { label }: { readonly label: string }): boolean => label === formatLabels.label(format),
    })),
    { requirement: "AUD-014", what: "the language en", when: (_body, { label }) => label === languageLabel },
    {
      requirement: "AUD-024",
      what: "a recording whose part is of the type application/octet-stream",
      when: showsOption("octet-stream"),
    },
    ...["name-with-spaces", "name-in-other-scripts", "file-last", "language-de"].map((option) => ({
      requirement: "AUD-025",
      what: `the option ${option}`,
      when: showsOption(option),
    })),
    ...Object.entries(boundaries).map(([option, what]) => ({ requirement: "AUD-026", what, when: showsOption(option) })),
    ...framingRows,
  ],
});
