import type { ExchangeJudge } from "../../judging/judge.ts";
import { isJsonObject, showValue } from "../../judging/json-value.ts";
import { readAcceptedEmbeddings, readEmbeddingAnswer } from "./embedding-answer.ts";

/** One vector for each input, and indexes that map them; of blank texts as well, where they are accepted. */
export const embeddingCount: ExchangeJudge = {
  scope: "exchange",
  id: "embedding-count",
  covers: ["EMB-001", "EMB-002", "EMB-003"],
  concerns: ({ endpoint, status }) => endpoint === "embeddings" && status < 300,
  judge(exchange, outcomes) {
    const isOpen = exchange.intent.kind === "probe-unspecified" && exchange.keyName !== null;
    const answer = isOpen ? readAcceptedEmbeddings(exchange) : readEmbeddingAnswer(exchange);
    if (answer === null || answer.entries === null) return;
    // The outcome of an empty text and of an empty list is left open (AMB-41).
    if (isOpen && (answer.inputs.length === 0 || answer.inputs.includes(""))) return;
    const { entries, inputs, single } = answer;
    const requirement = single === null ? "EMB-002" : "EMB-001";
    outcomes.passOrFail(requirement, entries.length === inputs.length, () => ({
      kind: "the number of vectors is not the number of inputs",
      expected: `${inputs.length} ${inputs.length === 1 ? "entry" : "entries"} in data`,
      observed: `${entries.length}`,
    }));
    const indexes = entries.map((entry) => (isJsonObject(entry) ? entry["index"] : undefined));
    outcomes.passOrFail("EMB-003", coversEach(indexes, inputs.length), () => ({
      kind: "the indexes do not cover the positions of the input exactly once",
      expected: `the indexes 0 to ${inputs.length - 1}, each once`,
      observed: showValue(indexes),
    }));
  },
};

/** Whether each of the positions up to `count` stands there exactly once. */
function coversEach(indexes: readonly unknown[], count: number): boolean {
  if (indexes.length !== count) return false;
  // In the order of the inputs, as nearly all services list them.
  if (indexes.every((index, position) => index === position)) return true;
  const found = new Set(indexes);
  for (let position = 0; position < count; position += 1) if (!found.has(position)) return false;
  return true;
}
