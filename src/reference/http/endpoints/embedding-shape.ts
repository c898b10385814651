import { toBase64 } from "../../content/embedding.ts";

export interface EmbeddingItem {
  readonly object: "embedding";
  readonly index: number;
  readonly embedding: unknown;
}

/** The body of POST /v1/embeddings; its items have passed their own seam. */
export interface EmbeddingList {
  readonly object: "list";
  readonly data: readonly unknown[];
  readonly model: string;
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number };
}

/** From the texts of a request to the list of their vectors. */
export interface EmbeddingShape {
  /** The texts that get a vector. */
  readonly texts: (texts: readonly string[]) => readonly string[];
  readonly costMicros: (micros: number, batchSize: number) => number;
  readonly dimensions: (asked: number | undefined) => number | undefined;
  /** Text whose vector is returned for the one at this index. */
  readonly embedded: (text: string, index: number, texts: readonly string[]) => string;
  readonly vector: (vector: Float32Array, batchSize: number) => Float32Array;
  readonly encoded: (vector: Float32Array, format: "float" | "base64" | undefined) => unknown;
  readonly item: (item: EmbeddingItem) => unknown;
  readonly list: (list: EmbeddingList) => unknown;
}

export const lawfulEmbeddingShape: EmbeddingShape = {
  texts: (texts) => texts,
  costMicros: (micros) => micros,
  dimensions: (asked) => asked,
  embedded: (text) => text,
  vector: (vector) => vector,
  encoded: (vector, format) => (format === "base64" ? toBase64(vector) : Array.from(vector)),
  item: (item) => item,
  list: (list) => list,
};
