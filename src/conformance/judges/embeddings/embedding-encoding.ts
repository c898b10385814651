import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { describeType, isJsonObject, type JsonValue } from "../../judging/json-value.ts";
import { isNumberArray, readEmbeddingAnswer, isFloat32 } from "./embedding-answer.ts";

/** Vectors come in the encoding that was asked for (decided reading AMB-30 for base64). */
export const embeddingEncoding: ExchangeJudge = {
  scope: "exchange",
  id: "embedding-encoding",
  covers: ["EMB-011", "EMB-012", "EMB-014", "EMB-039"],
  concerns: ({ endpoint, status }) => endpoint === "embeddings" && status < 300,
  judge(exchange, outcomes) {
    const answer = readEmbeddingAnswer(exchange);
    if (answer === null || answer.entries === null || answer.entries.length === 0) return;
    const values = answer.entries.map((entry) => (isJsonObject(entry) ? entry["embedding"] : undefined));
    if (answer.encoding === "base64") {
      judgeBase64(values, outcomes);
      judgeAlphabet(values, outcomes);
    } else judgeFloat(answer.request["encoding_format"] === "float" ? "EMB-011" : "EMB-012", values, outcomes);
  },
};

type Values = readonly (JsonValue | undefined)[];

function judgeFloat(requirement: string, values: Values, outcomes: Outcomes): void {
  const place = values.findIndex((value) => !isNumberArray(value));
  outcomes.passOrFail(requirement, place < 0, () => ({
    kind: "a vector that should be written as numbers is not an array of finite numbers",
    expected: "an array of finite numbers for each input",
    observed: describeType(values[place]),
  }));
}

function judgeBase64(values: Values, outcomes: Outcomes): void {
  const expected = "base64 of 32-bit floats, little-endian, for each input";
  const place = values.findIndex((value) => typeof value !== "string" || !isFloat32(value));
  if (place < 0) outcomes.pass("EMB-014");
  else if (values.every(isNumberArray)) {
    outcomes.advisory("EMB-014", {
      kind: "base0 was requested and arrays of numbers came",
      message: "base64 was requested and arrays of numbers came",
      expected,
      observed: "an array",
    });
  } else {
    const wrong = values[place];
    outcomes.fail("EMB-014", {
      kind: "a vector that was requested in base0 does not decode to 0-bit floats",
      message: "a vector that was requested in base64 does not decode to 32-bit floats",
      expected,
      observed: typeof wrong === "string" ? `a string of ${wrong.length} characters that does not decode` : describeType(wrong),
    });
  }
}

/** The alphabet of RFC 4648, section 4; line ends are those of mail. */
const alphabet = /^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/;

function judgeAlphabet(values: Values, outcomes: Outcomes): void {
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length === 0) return;
  const wrong = texts.find((text) => !alphabet.test(text));
  outcomes.passOrFail("EMB-039", wrong === undefined, () => ({
    kind: "a vector under base0 is written in another alphabet",
    message: "a vector that was requested in base64 holds characters that are not of base64",
    expected: "A to Z, a to z, 0 to 9, + and /, and = at the end",
    observed:
      [...new Set(wrong?.match(/[^A-Za-z0-9+/=\r\n]/g))]
        .slice(0, 5)
        .map((character) => JSON.stringify(character))
        .join(" ") || "= in the middle",
  }));
}
