import type { Mutant } from "../switch.ts";
import { mutant } from "../switch-builders.ts";

const whole = ["AUD-001", "SVC-006"] as const;

/** Rows that lean on a plain transcription. */
const leaning = ["AUD-003", "AUD-004", "ERR-006", "SPEND-009"] as const;

const every = ["AUD-005", "AUD-006", "AUD-007", "AUD-008", "AUD-009", "AUD-010", "AUD-011", "AUD-014", "AUD-016"] as const;

export const audioMutants: readonly Mutant[] = [
  mutant("audio/not-implemented", "There are no transcriptions", ["SVC-006", "AUD-001"], {
    mayAlsoFail: [...whole, ...every, ...leaning],
    origin: "vLLM without a speech model",
  }),
  mutant("audio/file-optional", "A missing file is silence", ["AUD-003"], { mayAlsoFail: ["ERR-021", "ERR-024", "ERR-006"] }),
  mutant("audio/model-optional", "A missing model is replaced", ["AUD-004"], { mayAlsoFail: ["ERR-021", "ERR-024", "ERR-006"] }),
  mutant("audio/mp3-refused", "mp3 is refused", ["AUD-005"]),
  mutant("audio/mp4-refused", "mp4 is refused", ["AUD-006"]),
  mutant("audio/mpeg-refused", "mpeg is refused", ["AUD-007"]),
  mutant("audio/mpga-refused", "mpga is refused", ["AUD-008"]),
  mutant("audio/m4a-refused", "m4a is refused", ["AUD-009"]),
  mutant("audio/wav-refused", "wav is refused", ["AUD-010"], {
    mayAlsoFail: [...whole, "AUD-014", "AUD-016", ...leaning],
  }),
  mutant("audio/webm-refused", "webm is refused", ["AUD-011"]),
  mutant("audio/language-refused", "language is refused", ["AUD-014"], { mayAlsoFail: ["AUD-025"] }),
  mutant("audio/language-required", "language is mandatory", ["AUD-016"], {
    mayAlsoFail: [...whole, ...every, ...leaning],
  }),
  mutant("audio/corrupt-500", "Broken audio is answered 500", ["SVC-014"], { mayAlsoFail: ["AUD-012", "AUD-020"] }),
  mutant("audio/plain-text", "The transcript is plain text", ["AUD-019"], {
    mayAlsoFail: [...whole, "AUD-018", "SVC-001", "SVC-002"],
    origin: "Whisper servers, response_format text",
  }),
  mutant("audio/subtitles", "The transcript comes as subtitles", ["AUD-019"], {
    mayAlsoFail: [...whole, "AUD-018", "SVC-001", "SVC-002"],
    origin: "Whisper servers, response_format vtt",
  }),
  mutant("audio/text-absent", "The transcript is called transcript", ["AUD-018"], { mayAlsoFail: whole }),
  mutant("audio/text-null", "text is null", ["AUD-018"], { mayAlsoFail: whole }),
  mutant("audio/text-segments", "text is an array of segments", ["AUD-018"], { mayAlsoFail: whole }),
  mutant("audio/octet-stream-refused", "A recording of an unknown media type is refused", ["AUD-024"]),
  mutant("audio/quoted-boundary-refused", "A form whose boundary stands in quotation marks is refused", ["AUD-026"]),
  mutant("audio/uploads-share-a-file", "Uploads of one file name that overlap are written to one file", ["SVC-022"]),
  mutant("audio/webm-with-language-refused", "A language is refused for webm", ["AUD-025"]),
];
