import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Head } from "./head.ts";

export interface AnswerFacts {
  readonly endpoint: EndpointId | null;
  readonly status: number;
}

type Field = readonly [name: string, value: string];

export interface EncodedBody {
  readonly bytes: string | Buffer;
  readonly fields: Readonly<Record<string, string>>;
}

/** Every answer on its way to the wire: body, text, bytes, fields. */
export interface AnswerShape {
  readonly body: (body: unknown, facts: AnswerFacts) => unknown;
  readonly text: (text: string, facts: AnswerFacts) => string;
  readonly bytes: (text: string) => string | Buffer;
  /** The body in a coding that the client accepts, with the fields that name it. */
  readonly encoded: (bytes: string | Buffer, acceptEncoding: string) => EncodedBody;
  /** Whether a whole body is sent without its length. */
  readonly isChunked: () => boolean;
  /** Media type of JSON. */
  readonly jsonType: (status: number) => string;
  /** null: the answer names none. */
  readonly contentType: (head: Head) => string | null;
  /** Instant that `Date` names. */
  readonly dateMs: (nowMs: number) => number;
  readonly rateFields: (head: Head, endpoint: EndpointId | null, nowMs: number) => readonly Field[];
  readonly closesConnection: () => boolean;
  /** Names and values in turn. */
  readonly fields: (list: string[]) => string[];
}

export const lawfulAnswerShape: AnswerShape = {
  body: (body) => body,
  text: (text) => text,
  bytes: (text) => text,
  encoded: (bytes) => ({ bytes, fields: {} }),
  isChunked: () => false,
  jsonType: () => "application/json",
  contentType: ({ contentType }) => contentType,
  dateMs: (nowMs) => nowMs,
  rateFields: ({ rate }) => Object.entries(rate),
  closesConnection: () => false,
  fields: (list) => list,
};
