import { embed, nativeDimensions } from "../../content/embedding.ts";
import { countTokens } from "../../content/tokenizer.ts";
import type { Ticket } from "../../engine/admission.ts";
import { embeddingCostMicros } from "../../engine/spend/prices.ts";
import type { Call } from "../call.ts";
import { freeWork, type Operation, type Read } from "../operation.ts";
import { readJson, readModel } from "../read-body.ts";
import { respondJson } from "../respond.ts";
import { runWholeJob } from "../run-job.ts";

/** Body of POST /v1/embeddings. */
interface EmbeddingsRequest {
  readonly input: string | readonly string[];
  readonly model: string;
  readonly encoding_format?: "float" | "base64";
  readonly dimensions?: number;
}

export interface EmbeddingsInput {
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
  work: ({ tokens }) => ({ ...freeWork, promptTokens: tokens, maxCostMicros: embeddingCostMicros(tokens) }),
  serve: serveEmbeddings,
};

async function serveEmbeddings(call: Call, input: EmbeddingsInput, ticket: Ticket): Promise<void> {
  const { tokens, texts } = input;
  const costMicros = call.service.seams.embeddings.costMicros(embeddingCostMicros(tokens), texts.length);
  const bill = { promptTokens: tokens, costMicros, items: texts.length };
  await runWholeJob(call, ticket, { kind: "tokens", promptTokens: tokens, completionTokens: 1 }, bill, () => {
    respondJson(call, 200, embeddingList(call, input), ticket.rateHeaders());
  });
}

function embeddingList(call: Call, { request, texts, tokens }: EmbeddingsInput): unknown {
  const { seams, seed } = call.service;
  const shape = seams.embeddings;
  const dimensions = shape.dimensions(request.dimensions) ?? nativeDimensions;
  const data = shape.texts(texts).map((text, index) => {
    const vector = embed(seed, request.model, shape.embedded(text, index, texts), dimensions);
    const embedding = shape.encoded(shape.vector(vector, texts.length), request.encoding_format);
    return shape.item({ object: "embedding", index, embedding });
  });
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return shape.list({ object: "list", data, model: seams.models.answeredAs(request.model), usage });
}
