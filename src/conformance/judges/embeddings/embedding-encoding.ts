import type { Exchange } from "../../../core/exchange.ts";
import { requestObject } from "../../exchange-view.ts";
import type { ExchangeJudge, Occurrence } from "../../judge.ts";
import { describeType, isJsonObject, type JsonValue } from "../../json-value.ts";
import { readEmbeddingAnswer } from "./embedding-answer.ts";
import { decodeFloat32 } from "./decode-float32.ts";

/** Vectors come in the encoding that was asked for (decided reading AMB-30 for base64). */
export const embeddingEncoding: ExchangeJudge = {
  scope: "exchange",
  id: "embedding-encoding",
  covers: ["EMB-011", "EMB-012", "EMB-014"],
  *judge(exchange): Iterable<Occurrence> {
    const answer = readEmbeddingAnswer(exchange);
    const values = answer?.entries?.map((entry) => (isJsonObject(entry) ? entry["embedding"] : undefined)) ?? [];
    if (answer === null || values.length === 0) return;
    if (answer.encoding === "base64") yield judgeBase64(exchange, values);
    else yield judgeFloat(exchange, values);
  },
};

function judgeFloat(exchange: Exchange, values: readonly (JsonValue | undefined)[]): Occurrence {
  const requirement = requestObject(exchange)?.["encoding_format"] === "float" ? "EMB-011" : "EMB-012";
  const wrong = values.find((value) => !isNumberArray(value));
  const allRight = values.every(isNumberArray);
  if (allRight) return { requirement, outcome: "pass", exchanges: [exchange.seq] };
  return {
    requirement,
    outcome: "fail",
    exchanges: [exchange.seq],
    message: "a vector that should be written as numbers is not an array of finite numbers",
    expected: "an array of finite numbers for each input",
    observed: describeType(wrong),
  };
}

function judgeBase64(exchange: Exchange, values: readonly (JsonValue | undefined)[]): Occurrence {
  const subject = {
    requirement: "EMB-014",
    exchanges: [exchange.seq],
    expected: "base64 of 32-bit floats, little-endian, for each input",
  };
  if (values.every((value) => typeof value === "string" && decodeFloat32(value) !== null)) return { ...subject, outcome: "pass" };
  if (values.every(isNumberArray)) {
    return { ...subject, outcome: "advisory", message: "base64 was requested and arrays of numbers came", observed: "an array" };
  }
  const wrong = values.find((value) => typeof value !== "string" || decodeFloat32(value) === null);
  return {
    ...subject,
    outcome: "fail",
    message: "a vector that was requested in base64 does not decode to 32-bit floats",
    observed: typeof wrong === "string" ? `a string of ${wrong.length} characters that does not decode` : describeType(wrong),
  };
}

function isNumberArray(value: JsonValue | undefined): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return (value as readonly JsonValue[]).every((item) => typeof item === "number" && Number.isFinite(item));
}
