import { toBase64 } from "../../content/embedding.ts";
import { lawfulEmbeddingShape, type EmbeddingShape } from "../../http/endpoints/embedding-shape.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

export function patchEmbeddingShape(switches: Switchboard): EmbeddingShape {
  const lawful = lawfulEmbeddingShape;
  return {
    texts: firstChange(switches, lawful.texts, {
      "embeddings/batch-single": (texts) => texts.slice(0, 1),
    }),
    costMicros: firstChange(switches, lawful.costMicros, {
      "embeddings/batches-half-price": (micros, batchSize) => (batchSize > 1 ? Math.ceil(micros / 2) : micros),
    }),
    dimensions: firstChange(switches, lawful.dimensions, {
      "embeddings/dimensions-ignored": () => undefined,
    }),
    embedded: firstChange(switches, lawful.embedded, {
      "embeddings/batch-differs": (text, index, { length }) => (length > 1 ? `${text}/${index}/${length}` : text),
      "embeddings/equal-texts-differ": (text, index, texts) => (texts.indexOf(text) < index ? `${text}/${index}` : text),
      "embeddings/first-vector-repeated": (_, __, texts) => texts[0] ?? "",
    }),
    vector: firstChange(switches, lawful.vector, {
      "embeddings/batch-digits": (exact, batchSize) =>
        batchSize > 1 ? exact.map((value, place) => value * (place % 2 === 0 ? 1.08 : 0.92)) : exact,
    }),
    encoded: firstChange(switches, lawful.encoded, {
      "embeddings/base64-by-default": (vector, format = "base64") => lawful.encoded(vector, format),
      "embeddings/float-as-text": (vector, format) =>
        format === "base64" ? lawful.encoded(vector, format) : Array.from(vector, String),
      "embeddings/vector-empty": (_, format) => (format === "base64" ? "" : []),
      "embeddings/vector-with-null": (vector, format) =>
        format === "base64" ? lawful.encoded(vector, format) : [null, ...vector.subarray(1)],
      "embeddings/base64-ignored": (vector) => lawful.encoded(vector, "float"),
      "embeddings/base64-other-vector": (vector, format) =>
        lawful.encoded(format === "base64" ? vector.map((value) => -value) : vector, format),
      "embeddings/base64-for-addresses": (vector, format) =>
        format === "base64" ? Buffer.from(toBase64(vector), "base64").toString("base64url") : lawful.encoded(vector, format),
      "embeddings/base64-doubles": (vector, format) =>
        format === "base64" ? Buffer.from(Float64Array.from(vector).buffer).toString("base64") : lawful.encoded(vector, format),
      "embeddings/base64-big-endian": (vector, format) =>
        format === "base64"
          ? Buffer.from(toBase64(vector), "base64").swap32().toString("base64")
          : lawful.encoded(vector, format),
    }),
    item: firstChange(switches, lawful.item, {
      "embeddings/item-object-wrong": (item) => ({ ...item, object: "vector" }),
      "embeddings/index-absent": ({ index: _index, ...rest }) => rest,
      "embeddings/index-text": (item) => ({ ...item, index: String(item.index) }),
      "embeddings/index-all-zero": (item) => ({ ...item, index: 0 }),
      "embeddings/index-restarts": (item) => ({ ...item, index: item.index % 8 }),
      "embeddings/index-from-one": (item) => ({ ...item, index: item.index + 1 }),
      "embeddings/vector-absent": ({ embedding: _embedding, ...rest }) => rest,
    }),
    list: firstChange(switches, lawful.list, {
      "embeddings/object-wrong": (list) => ({ ...list, object: "embeddings" }),
      "embeddings/index-reversed": (list) => ({
        ...list,
        data: list.data.map((item, index) => ({ ...(item as object), index: list.data.length - 1 - index })),
      }),
      "embeddings/entries-any-order": (list) => ({ ...list, data: list.data.toReversed() }),
      "embeddings/model-absent": ({ model: _model, ...rest }) => rest,
      "embeddings/usage-absent": ({ usage: _usage, ...rest }) => rest,
      "embeddings/usage-prompt-absent": (list) => ({ ...list, usage: { total_tokens: list.usage.total_tokens } }),
      "embeddings/usage-total-absent": (list) => ({ ...list, usage: { prompt_tokens: list.usage.prompt_tokens } }),
      "embeddings/usage-of-base64": (list) =>
        typeof (list.data[0] as { readonly embedding?: unknown }).embedding === "string"
          ? { ...list, usage: { prompt_tokens: 2 * list.usage.prompt_tokens, total_tokens: 2 * list.usage.total_tokens } }
          : list,
      "embeddings/usage-fraction": (list) => ({
        ...list,
        usage: { ...list.usage, prompt_tokens: list.usage.prompt_tokens + 0.5 },
      }),
      "embeddings/data-object": (list) => ({ ...list, data: { items: list.data } }),
    }),
  };
}
