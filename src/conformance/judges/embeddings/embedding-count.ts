import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isJsonObject, showValue } from "../../judging/json-value.ts";
import { readEmbeddingAnswer } from "./embedding-answer.ts";

const glanced = createGlancedLists(["EMB-001", "EMB-002", "EMB-003"]);

/** One vector for each input, and indexes that map them. */
export const embeddingCount: ExchangeJudge = {
  scope: "exchange",
  id: "embedding-count",
  covers: ["EMB-001", "EMB-002", "EMB-003"],
  concerns: ({ endpoint, status }) => endpoint === "embeddings" && status < 300,
  glance(exchange) {
    const answer = readEmbeddingAnswer(exchange);
    if (answer === null || answer.entries === null) return nothingGlanced;
    const { entries, inputs, single } = answer;
    if (entries.length !== inputs.length) return null;
    // In the order of the inputs, as nearly all services list them.
    for (let position = 0; position < entries.length; position += 1) {
      const entry = entries[position];
      if (!isJsonObject(entry) || entry["index"] !== position) return null;
    }
    return glanced(single === null ? 0b110 : 0b101);
  },
  *judge(exchange): Iterable<Occurrence> {
    const answer = readEmbeddingAnswer(exchange);
    if (answer === null || answer.entries === null) return;
    const { entries, inputs, single } = answer;
    const subject = { exchanges: [exchange.seq] };
    const requirement = single === null ? "EMB-002" : "EMB-001";
    yield entries.length === inputs.length
      ? { ...subject, requirement, outcome: "pass" }
      : {
          ...subject,
          requirement,
          outcome: "fail",
          message: "the number of vectors is not the number of inputs",
          expected: `${inputs.length} ${inputs.length === 1 ? "entry" : "entries"} in data`,
          observed: `${entries.length}`,
        };
    const indexes = entries.map((entry) => (isJsonObject(entry) ? entry["index"] : undefined));
    const covered = inputs.every((_, position) => indexes.includes(position));
    yield covered && indexes.length === inputs.length
      ? { ...subject, requirement: "EMB-003", outcome: "pass" }
      : {
          ...subject,
          requirement: "EMB-003",
          outcome: "fail",
          message: "the indexes do not cover the positions of the input exactly once",
          expected: `the indexes 0 to ${inputs.length - 1}, each once`,
          observed: showValue(indexes),
        };
  },
};
