import { createAcceptanceJudge, framingRows } from "../../judging/acceptance-judge.ts";
import { showsOption } from "../../judging/option-labels.ts";
import type { RunJudge } from "../../judging/judge.ts";
import type { JsonObject } from "../../judging/json-value.ts";

/** The request has exactly these members beside input and model. */
function hasOnly(body: JsonObject, ...extra: readonly string[]): boolean {
  return Object.keys(body).every((name) => name === "input" || name === "model" || extra.includes(name));
}

/** Every documented form of an embeddings request has to be accepted. */
export const embeddingAcceptance: RunJudge = createAcceptanceJudge({
  id: "embedding-acceptance",
  endpoint: "embeddings",
  capability: "SVC-004",
  rows: [
    {
      requirement: "EMB-001",
      what: "one string as input",
      when: (body) => typeof body["input"] === "string" && hasOnly(body, "encoding_format"),
    },
    {
      requirement: "EMB-002",
      what: "a list of strings as input",
      when: (body) => Array.isArray(body["input"]) && hasOnly(body, "encoding_format"),
    },
    {
      requirement: "EMB-011",
      what: "encoding_format float",
      when: (body) => body["encoding_format"] === "float" && hasOnly(body, "encoding_format"),
    },
    { requirement: "EMB-012", what: "no encoding_format", when: (body) => hasOnly(body) },
    {
      requirement: "EMB-013",
      what: "encoding_format base64",
      when: (body) => body["encoding_format"] === "base64" && hasOnly(body, "encoding_format"),
    },
    ...(["spaced", "members-reversed", "escaped", "other-scripts", "controls-and-quotes"] as const).map((option) => ({
      requirement: "EMB-040",
      what: `the option ${option}`,
      when: showsOption(option),
    })),
    ...framingRows,
  ],
});
