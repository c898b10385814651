import { isJsonObject, type JsonObject, type JsonValue } from "../../judging/json-value.ts";
import { deltaOf } from "../stream/stream-chunks.ts";
import { wrongValue, type WrongWords } from "../../judging/wrong-words.ts";

/** The first problem of each kind in the chunks of one stream; null where there is none. */
export interface ChunkProblems {
  delta: WrongWords | null;
  finish: WrongWords | null;
  role: WrongWords | null;
}

/** Choices are distinguished by their index, whatever it is. */
interface Choices {
  /** The index of the choice before: nearly all streams have one choice. */
  latest: JsonValue | undefined;
  readonly seen: Set<JsonValue | undefined>;
  readonly finished: Set<JsonValue | undefined>;
  hasDelta: boolean;
  /** The last text that is not empty, and how many in a row begin with the whole one before. */
  text: string;
  grown: number;
}

/** So many longer texts in a row, each of which begins with all of the one before, are no pieces of a text. */
const grownInARow = 5;

/** One walk over all chunks: streams are long, and every row looks at every choice. */
export function findChunkProblems(chunks: readonly JsonObject[]): ChunkProblems {
  const problems: ChunkProblems = { delta: null, finish: null, role: null };
  const choices: Choices = { latest: undefined, seen: new Set(), finished: new Set(), hasDelta: false, text: "", grown: 0 };
  for (const chunk of chunks) {
    const listed = chunk["choices"];
    if (!Array.isArray(listed)) problems.delta ??= { kind: "a chunk has no list of choices" };
    else {
      const values = listed as readonly JsonValue[];
      if (problems.delta === null && !values.every(isJsonObject)) problems.delta = { kind: "a choice is no object" };
      for (const choice of values) if (isJsonObject(choice)) readChoice(choice, choices, problems);
    }
  }
  if (!choices.hasDelta) problems.delta ??= { kind: "no chunk holds a delta" };
  if (choices.seen.size === 0) problems.role ??= { kind: "no chunk holds a choice" };
  if (choices.finished.size !== choices.seen.size || choices.seen.size === 0) {
    problems.finish ??= { kind: "the stream ends without a finish_reason" };
  }
  return problems;
}

function readChoice(choice: JsonObject, choices: Choices, problems: ChunkProblems): void {
  const { index, finish_reason: reason } = choice;
  const delta = deltaOf(choice);
  if (delta === null) problems.delta ??= { kind: "a choice has no object delta" };
  else {
    choices.hasDelta = true;
    const { content } = delta;
    if (content !== undefined && content !== null && typeof content !== "string") {
      problems.delta ??= wrongValue("delta.content is ", content);
    }
    if (typeof content === "string" && content !== "" && followsText(content, choices) >= grownInARow) {
      problems.delta ??= { kind: "each delta repeats the text before it" };
    }
  }
  if ((index === undefined || index !== choices.latest) && !choices.seen.has(index)) {
    choices.seen.add(index);
    const role = delta?.["role"];
    if (role !== "assistant") problems.role ??= wrongValue("the first chunk has role ", role, { limit: 40 });
  }
  choices.latest = index;
  problems.finish ??= wrongReason(reason, choices.finished.size > 0 && choices.finished.has(index));
  if (reason !== null) choices.finished.add(index);
}

/** How many texts in a row repeat the one before, with this one. */
function followsText(text: string, choices: Choices): number {
  choices.grown =
    choices.text !== "" && text.length > choices.text.length && text.startsWith(choices.text) ? choices.grown + 1 : 0;
  choices.text = text;
  return choices.grown;
}

function wrongReason(reason: JsonValue | undefined, hasFinished: boolean): WrongWords | null {
  if (reason === undefined) return { kind: "a chunk has no finish_reason" };
  if (reason === "") return { kind: 'finish_reason is "" instead of null' };
  if (reason !== null && typeof reason !== "string") return wrongValue("finish_reason is ", reason);
  return hasFinished ? { kind: "a choice goes on after its finish_reason" } : null;
}
