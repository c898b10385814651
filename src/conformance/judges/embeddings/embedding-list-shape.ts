import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isDescribedSuccess } from "../../judging/subjects.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { createSchemaJudge, type SchemaRule } from "../../judging/schema-judge.ts";

const commonRules: readonly SchemaRule[] = [
  { requirement: "EMB-022", path: "/object", expected: 'the constant "list"' },
  { requirement: "EMB-023", path: "/data", expected: "an array of entries" },
  { requirement: "EMB-033", path: "/data/*", expected: "an object for each entry" },
  { requirement: "EMB-024", path: "/data/*/object", expected: 'the constant "embedding"' },
  { requirement: "EMB-025", path: "/data/*/index", expected: "an integer" },
  { requirement: "EMB-027", path: "/model", expected: "a string that is not empty" },
  { requirement: "EMB-028", path: "/usage", expected: "an object with the token usage" },
  { requirement: "EMB-028", path: "/usage/prompt_tokens", expected: "an integer, not negative" },
  { requirement: "EMB-029", path: "/usage/total_tokens", expected: "an integer, not negative" },
];

/** Embedding lists whose vectors were requested as arrays of numbers. */
export const embeddingListFloatShape: ExchangeJudge = createSchemaJudge({
  id: "embedding-list-float-shape",
  endpoint: "embeddings",
  schema: (exchange) => (encodingOf(exchange) === "float" ? "embedding-list-float.response" : null),
  whole: "EMB-033",
  rules: [
    ...commonRules,
    { requirement: "EMB-026", path: "/data/*/embedding", expected: "an array of numbers, not empty" },
    { requirement: "EMB-026", path: "/data/*/embedding/*", expected: "a number" },
  ],
});

/** Embedding lists whose vectors were requested in base64; `embedding-base64` judges the vectors. */
export const embeddingListBase64Shape: ExchangeJudge = createSchemaJudge({
  id: "embedding-list-base64-shape",
  endpoint: "embeddings",
  schema: (exchange) => (encodingOf(exchange) === "base64" ? "embedding-list-base64.response" : null),
  whole: "EMB-033",
  rules: [...commonRules, { requirement: "EMB-033", path: "/data/*/embedding", expected: "the vector of the entry" }],
});

/** Encoding that a successful answer has to use; null when the request asked for something that has no stated answer. */
function encodingOf(exchange: ExchangeFacts): "float" | "base64" | null {
  if (exchange.endpoint !== "embeddings" || !isDescribedSuccess(exchange)) return null;
  const encoding = exchange.requestObject?.["encoding_format"];
  if (encoding === undefined || encoding === "float") return "float";
  return encoding === "base64" ? "base64" : null;
}
