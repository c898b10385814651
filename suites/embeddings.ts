import type { Case, CaseTools, Need } from "../src/conformance/plan/case.ts";
import { readEmbeddingAnswers } from "../src/conformance/judges/embeddings/embedding-answer.ts";
import type { Intent } from "../src/core/exchange/intent.ts";
import type { Manifest } from "../src/core/manifest.ts";
import type { Members } from "./requests/members.ts";
import { negativeCases, type NegativeEndpoint, otherJson } from "./negatives/negative-cases.ts";
import type { ExchangeFacts } from "../src/core/exchange/exchange-facts.ts";
import { casesOf } from "./cases-of.ts";
import { question } from "./requests/intents.ts";
import { jsonRequest } from "./requests/json-request.ts";

const needs: readonly Need[] = [{ kind: "model", use: "embedding" }];
const endpoint = "embeddings";
const batch = ["The river is calm.", "Engines need oil.", "Seven is a prime number."] as const;

async function sendEmbeddings(tools: CaseTools, label: string, members: Members, intent?: Intent): Promise<ExchangeFacts> {
  return tools.send(jsonRequest(endpoint, label, { model: tools.manifest.models.embedding, ...members }, intent));
}

/**
 * A number of dimensions that the embedding model takes and that is not its default, which a service that ignores the member
 * would give as well. `features.dimensions` of the manifest may name one.
 */
function dimensionsOf(manifest: Manifest, usual: number | null): number {
  const declared = manifest.features["dimensions"];
  if (typeof declared === "number" && declared !== usual) return declared;
  return usual === null || usual > 256 ? 256 : Math.max(1, Math.floor(usual / 2));
}

const ordinary: readonly Case[] = casesOf({ suite: "embeddings", needs }, [
  {
    id: "embeddings/inputs",
    title: "Takes one string or a list of strings",
    covers: ["SVC-004", "EMB-001", "EMB-002", "EMB-003", "EMB-012", "EMB-019", "EMB-031", "EMB-032", "EMB-036"],
    cost: { requests: { embeddings: 5 }, tokens: 100 },
    async run(tools) {
      for (const [index, input] of batch.entries()) await sendEmbeddings(tools, `single-${index + 1}`, { input });
      await sendEmbeddings(tools, "batch", { input: batch });
      await sendEmbeddings(tools, "repetition", { input: batch[0] });
    },
  },
  {
    id: "embeddings/encodings",
    title: "Writes vectors as numbers or in base64",
    covers: ["EMB-011", "EMB-013", "EMB-014", "EMB-015", "EMB-037", "EMB-038", "EMB-039"],
    cost: { requests: { embeddings: 5 }, tokens: 120 },
    async run(tools) {
      const input = "Both encodings carry the same vector.";
      await sendEmbeddings(tools, "float", { input, encoding_format: "float" });
      await sendEmbeddings(tools, "base64", { input, encoding_format: "base64" });
      await sendEmbeddings(tools, "base64-batch", { input: [...batch], encoding_format: "base64" });
      const twice = [...batch, batch[0]];
      await sendEmbeddings(tools, "float-twice", { input: twice, encoding_format: "float" });
      await sendEmbeddings(tools, "base64-twice", { input: twice, encoding_format: "base64" });
    },
  },
  {
    id: "embeddings/dimensions",
    title: "Shortens vectors to the requested number of dimensions",
    covers: ["EMB-018"],
    needs: [...needs, { kind: "feature", name: "dimensions" }],
    cost: { requests: { embeddings: 4 }, tokens: 80 },
    async run(tools) {
      const unasked = await sendEmbeddings(tools, "unasked", { input: batch[0] });
      const [usual] = readEmbeddingAnswers([unasked])[0]?.vectors ?? [];
      const dimensions = dimensionsOf(tools.manifest, usual?.length ?? null);
      await sendEmbeddings(tools, "requested", { input: batch[0], dimensions });
      await sendEmbeddings(tools, "requested-batch", { input: batch, dimensions });
      await sendEmbeddings(tools, "requested-base64", { input: batch[0], dimensions, encoding_format: "base64" });
    },
  },
  {
    id: "embeddings/longer-input",
    title: "Counts no fewer tokens for a longer input",
    covers: ["EMB-028", "EMB-029", "EMB-030", "EMB-035"],
    cost: { requests: { embeddings: 2 }, tokens: 120 },
    async run(tools) {
      const text = "Water boils at lower temperatures on high mountains. ";
      await sendEmbeddings(tools, "text", { input: text });
      await sendEmbeddings(tools, "doubled", { input: text + text });
    },
  },
  {
    id: "embeddings/unstated-values",
    title: "Records the answers to values without a stated rule",
    covers: ["EMB-007", "EMB-021"],
    cost: { requests: { embeddings: 8 }, tokens: 80 },
    async run(tools) {
      for (const [label, text] of [
        ["empty", ""],
        ["blank", " "],
      ] as const) {
        // Refused or not, the list of vectors has one for each text.
        const intent = question("EMB-007", `${label} text in a list`);
        await sendEmbeddings(tools, `list-with-${label}`, { input: [batch[0], text, batch[1]] }, intent);
      }
      await sendEmbeddings(tools, "empty-string", { input: "" }, question("EMB-007", "an empty string as input"));
      await sendEmbeddings(tools, "empty-list", { input: [] }, question("EMB-007", "an empty list as input"));
      await sendEmbeddings(tools, "token-list", { input: [1, 2] }, question("EMB-007", "a list of token numbers as input"));
      for (const dimensions of [0, -1, 1_000_000]) {
        const intent = question("EMB-021", `${dimensions} dimensions`);
        await sendEmbeddings(tools, `dimensions-${dimensions}`, { input: batch[0], dimensions }, intent);
      }
    },
  },
]);

const target: NegativeEndpoint = {
  endpoint,
  needs,
  valid: (manifest) => ({ model: manifest.models.embedding, input: batch[0] }),
  cost: { tokens: 20 },
};

const negatives: readonly Case[] = negativeCases(target, [
  {
    field: "input",
    violations: [
      { requirement: "EMB-004", condition: "missing-field" },
      { requirement: "EMB-005", condition: "wrong-type", values: [5, true, {}, null] },
    ],
  },
  {
    field: "model",
    violations: [
      { requirement: "EMB-008", condition: "missing-field" },
      { requirement: "EMB-009", condition: "wrong-type", values: [1, null] },
      { requirement: "EMB-010", condition: "unknown-model", values: ["assay-no-such-model-7f3a"] },
    ],
  },
  {
    field: "encoding_format",
    lawful: "float",
    violations: [
      { requirement: "EMB-016", condition: "out-of-range", values: ["hex", "", "FLOAT"] },
      { requirement: "EMB-017", condition: "wrong-type", values: [1] },
    ],
  },
]);

const listNegatives: readonly Case[] = negativeCases(
  { ...target, valid: (manifest) => ({ model: manifest.models.embedding, input: [...batch] }) },
  [{ field: "input.1", violations: [{ requirement: "EMB-006", condition: "wrong-type", values: [5, null] }] }],
);

/** Not every model takes `dimensions`, so the twin needs the feature. */
const dimensionNegatives: readonly Case[] = negativeCases(
  {
    ...target,
    needs: [...needs, { kind: "feature", name: "dimensions" }],
    valid: (manifest) => ({ model: manifest.models.embedding, input: batch[0], dimensions: dimensionsOf(manifest, null) }),
  },
  [{ field: "dimensions", violations: [{ requirement: "EMB-020", condition: "wrong-type", values: [1.5, "256"] }] }],
);

export const embeddingCases: readonly Case[] = [
  ...ordinary,
  otherJson(target, { noObject: "EMB-034", malformed: "EMB-041" }),
  ...negatives,
  ...listNegatives,
  ...dimensionNegatives,
];
