import { embed, nativeDimensions, toBase64 } from "../../content/embedding.ts";
import { countTokens } from "../../content/tokenizer.ts";
import type { Lease } from "../../engine/admission.ts";
import { embeddingCostMicros } from "../../engine/spend/prices.ts";
import type { Switchboard } from "../../defects/switch.ts";
import type { Call } from "../call.ts";
import { answeredModel } from "./chat-input.ts";
import type { Operation, Read } from "../operation.ts";
import { readJson, readModel } from "../read-body.ts";
import { respondJson } from "../respond.ts";
import { runJob } from "../run-job.ts";

/** Body of POST /v1/embeddings. */
interface EmbeddingsRequest {
  readonly input: string | readonly string[];
  readonly model: string;
  readonly encoding_format?: "float" | "base64";
  readonly dimensions?: number;
}

interface EmbeddingsInput {
  readonly request: EmbeddingsRequest;
  readonly texts: readonly string[];
  readonly tokens: number;
}

export const embeddings: Operation<EmbeddingsInput> = {
  endpoint: "embeddings",
  read: (call): Read<EmbeddingsInput> => {
    const read = readJson<EmbeddingsRequest>(call, "embeddings");
    if (read.kind === "refused") return read;
    const model = readModel(call, read.input.model, "embedding");
    if (model.kind === "refused") return model;
    const texts = typeof read.input.input === "string" ? [read.input.input] : read.input.input;
    return {
      kind: "read",
      input: { request: read.input, texts, tokens: texts.reduce((sum, text) => sum + Math.max(1, countTokens(text)), 0) },
    };
  },
  work: (_, { tokens }) => ({
    streaming: false,
    promptTokens: tokens,
    maxCompletionTokens: 0,
    requestedMaxTokens: null,
    maxCostMicros: embeddingCostMicros(tokens),
  }),
  serve: serveEmbeddings,
};

async function serveEmbeddings(call: Call, input: EmbeddingsInput, lease: Lease): Promise<void> {
  await runJob(call, lease, { kind: "tokens", promptTokens: input.tokens, completionTokens: 1 }, async (pace) => {
    // The work is done whether or not the client waits for it, and costs the same.
    await call.service.engine.clock.sleepUntil(pace.endAtMs());
    lease.settle({
      ended: call.response.destroyed ? "aborted" : "completed",
      promptTokens: input.tokens,
      completionTokens: 0,
      costMicros: costOf(call, input),
      items: input.texts.length,
    });
    respondJson(call, 200, embeddingList(call, input), lease.rateHeaders());
  });
}

function costOf(call: Call, { tokens, texts }: EmbeddingsInput): number {
  const isHalf = texts.length > 1 && call.service.switches.on("embeddings/batches-half-price");
  return isHalf ? Math.ceil(embeddingCostMicros(tokens) / 2) : embeddingCostMicros(tokens);
}

type Members = Readonly<Record<string, unknown>>;

function embeddingList(call: Call, { request, texts, tokens }: EmbeddingsInput): Members {
  const { switches, seed } = call.service;
  const answered = switches.on("embeddings/batch-single") ? texts.slice(0, 1) : texts;
  const dimensions = switches.on("embeddings/dimensions-ignored") ? nativeDimensions : (request.dimensions ?? nativeDimensions);
  const data = answered.map((text, index) => {
    const exact = embed(seed, request.model, vectorText(text, index, texts, switches), dimensions);
    const isRough = switches.on("embeddings/batch-digits") && texts.length > 1;
    const vector = isRough ? exact.map((value, place) => value * (place % 2 === 0 ? 1.08 : 0.92)) : exact;
    return item(index, encode(vector, request.encoding_format, switches), switches);
  });
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  const list = {
    object: switches.on("embeddings/object-wrong") ? "embeddings" : "list",
    data: switches.on("embeddings/index-reversed")
      ? data.map((entry, index) => ({ ...entry, index: data.length - 1 - index }))
      : data,
    model: answeredModel(call, request.model),
    usage,
  };
  return listDefects(list, switches);
}

/** Text whose vector is returned; a batch must not change it. */
function vectorText(text: string, index: number, texts: readonly string[], switches: Switchboard): string {
  if (switches.on("embeddings/batch-differs") && texts.length > 1) return `${text}/${index}/${texts.length}`;
  return switches.on("embeddings/first-vector-repeated") ? (texts[0] ?? "") : text;
}

function encode(vector: Float32Array, format: EmbeddingsRequest["encoding_format"], switches: Switchboard): unknown {
  const numbers = (): readonly number[] => Array.from(vector);
  if (switches.on("embeddings/base64-by-default") && format === undefined) return toBase64(vector);
  if (switches.on("embeddings/float-as-text") && format !== "base64") return numbers().map(String);
  if (switches.on("embeddings/vector-empty")) return format === "base64" ? "" : [];
  if (switches.on("embeddings/vector-with-null") && format !== "base64") return [null, ...numbers().slice(1)];
  if (format !== "base64" || switches.on("embeddings/base64-ignored")) return numbers();
  if (switches.on("embeddings/base64-other-vector")) return toBase64(vector.map((value) => -value));
  if (switches.on("embeddings/base64-big-endian")) return Buffer.from(toBase64(vector), "base64").swap32().toString("base64");
  return toBase64(vector);
}

function item(index: number, embedding: unknown, switches: Switchboard): Members {
  if (switches.on("embeddings/item-object-wrong")) return { object: "vector", index, embedding };
  if (switches.on("embeddings/index-absent")) return { object: "embedding", embedding };
  if (switches.on("embeddings/index-text")) return { object: "embedding", index: String(index), embedding };
  if (switches.on("embeddings/index-all-zero")) return { object: "embedding", index: 0, embedding };
  if (switches.on("embeddings/index-from-one")) return { object: "embedding", index: index + 1, embedding };
  if (switches.on("embeddings/vector-absent")) return { object: "embedding", index };
  return { object: "embedding", index, embedding };
}

function listDefects(list: Members, switches: Switchboard): Members {
  const usage = list["usage"] as { readonly prompt_tokens: number; readonly total_tokens: number };
  const { model, usage: _, ...rest } = list;
  if (switches.on("embeddings/model-absent")) return { ...rest, usage };
  if (switches.on("embeddings/usage-absent")) return { ...rest, model };
  if (switches.on("embeddings/usage-prompt-absent")) return { ...rest, model, usage: { total_tokens: usage.total_tokens } };
  if (switches.on("embeddings/usage-total-absent")) return { ...rest, model, usage: { prompt_tokens: usage.prompt_tokens } };
  if (switches.on("embeddings/usage-fraction"))
    return { ...rest, model, usage: { ...usage, prompt_tokens: usage.prompt_tokens + 0.5 } };
  if (switches.on("embeddings/data-object")) return { ...list, data: { items: list["data"] } };
  return list;
}
