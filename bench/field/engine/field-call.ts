import type { IncomingHttpHeaders, ServerResponse } from "node:http";

export type FieldOperation = "models" | "chat" | "embeddings" | "usage";

/** One request of a known key, read as far as a limiter looks at it. */
export interface FieldCall {
  readonly key: string;
  readonly operation: FieldOperation;
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly streams: boolean;
  readonly response: ServerResponse;
  /** Counts all requests of the server, from 1. */
  readonly number: number;
}

export interface FieldUsage {
  readonly prompt: number;
  readonly completion: number;
}

/** The end of an answer: read whole, or left by its client. */
export type FieldEnd = "whole" | "left";
