import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { describeType, isJsonObject, type JsonValue } from "../../judging/json-value.ts";
import { type EmbeddingAnswer, isNumberArray, readEmbeddingAnswer } from "./embedding-answer.ts";
import { isFloat32 } from "./decode-float32.ts";

const glanced = createGlancedLists(["EMB-011", "EMB-012", "EMB-014"]);

/** Vectors come in the encoding that was asked for (decided reading AMB-30 for base64). */
export const embeddingEncoding: ExchangeJudge = {
  scope: "exchange",
  id: "embedding-encoding",
  covers: ["EMB-011", "EMB-012", "EMB-014"],
  concerns: ({ endpoint, status }) => endpoint === "embeddings" && status < 300,
  glance(exchange) {
    const answer = readEmbeddingAnswer(exchange);
    if (answer === null || answer.entries === null || answer.entries.length === 0) return nothingGlanced;
    const { entries, encoding, request } = answer;
    const isBase64 = encoding === "base64";
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[index];
      const vector = isJsonObject(entry) ? entry["embedding"] : undefined;
      if (isBase64 ? typeof vector !== "string" || !isFloat32(vector) : !isNumberArray(vector)) return null;
    }
    return glanced(isBase64 ? 0b100 : request["encoding_format"] === "float" ? 0b001 : 0b010);
  },
  *judge(exchange): Iterable<Occurrence> {
    const answer = readEmbeddingAnswer(exchange);
    if (answer === null || answer.entries === null || answer.entries.length === 0) return;
    const values = answer.entries.map((entry) => (isJsonObject(entry) ? entry["embedding"] : undefined));
    yield answer.encoding === "base64" ? judgeBase64(answer, values) : judgeFloat(answer, values);
  },
};

function judgeFloat({ exchange, request }: EmbeddingAnswer, values: readonly (JsonValue | undefined)[]): Occurrence {
  const requirement = request["encoding_format"] === "float" ? "EMB-011" : "EMB-012";
  const wrong = values.filter((value) => !isNumberArray(value));
  if (wrong.length === 0) return { requirement, outcome: "pass", exchanges: [exchange.seq] };
  return {
    requirement,
    outcome: "fail",
    exchanges: [exchange.seq],
    message: "a vector that should be written as numbers is not an array of finite numbers",
    expected: "an array of finite numbers for each input",
    observed: describeType(wrong[0]),
  };
}

function judgeBase64({ exchange }: EmbeddingAnswer, values: readonly (JsonValue | undefined)[]): Occurrence {
  const subject = {
    requirement: "EMB-014",
    exchanges: [exchange.seq],
    expected: "base64 of 32-bit floats, little-endian, for each input",
  };
  const wrong = values.filter((value) => typeof value !== "string" || !isFloat32(value));
  if (wrong.length === 0) return { ...subject, outcome: "pass" };
  if (values.every(isNumberArray)) {
    return { ...subject, outcome: "advisory", message: "base64 was requested and arrays of numbers came", observed: "an array" };
  }
  const [first] = wrong;
  return {
    ...subject,
    outcome: "fail",
    message: "a vector that was requested in base64 does not decode to 32-bit floats",
    observed: typeof first === "string" ? `a string of ${first.length} characters that does not decode` : describeType(first),
  };
}
