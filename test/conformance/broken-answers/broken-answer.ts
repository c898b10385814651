/** Answers that a broken one replaces: those of one operation, or its errors of one status. */
export type Operation =
  | "chat"
  | "stream"
  | "embeddings"
  | "images"
  | "audio"
  | "models"
  | "usage"
  | "error-401"
  | "error-402"
  | "error-404"
  | "error-422"
  | "error-429"
  | "error-503";

/** An answer as the correct service gives it. */
export interface LawfulAnswer {
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Members that are absent stay as they were; a field that is null is left out. */
export interface ChangedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly body?: Buffer | string;
  /** Of the body; default: a Content-Length that is right. `close`: the end of the connection. `unfinished`: chunks without the last. */
  readonly framing?: "length" | "chunked" | "unfinished" | "close" | { readonly length: number };
  /** The connection is reset behind this, not ended. */
  readonly isReset?: boolean;
  /** In place of all the above: what is written. */
  readonly raw?: Buffer | string;
}

/** One way in which answers of one operation are broken, always or now and then. */
export interface BrokenAnswer {
  readonly name: string;
  readonly of: Operation;
  /** `ordinal`: of the answers that are changed, from 0. */
  readonly change: (answer: LawfulAnswer, ordinal: number) => ChangedAnswer;
}

/** Members of the answers, as far as they are changed. */
interface OpenBody {
  object: string;
  created: number;
  model: string;
  data: unknown;
  readonly choices: readonly { readonly message: { content: unknown } }[];
  readonly usage: { prompt_tokens: unknown; total_tokens: number };
}

/** The answer as JSON with some of it changed. */
export function changed(answer: LawfulAnswer, change: (body: OpenBody) => unknown): ChangedAnswer {
  const body = JSON.parse(answer.body.toString()) as OpenBody;
  return { body: JSON.stringify(change(body) ?? body) };
}
