import type { RequestProblem } from "../../schemas/request-schemas.ts";
import type { SeenCall } from "./seen-call.ts";
import { invalidField, unknownModel, type Problem } from "./problem.ts";

const jsonMediaType = /^application\/json\s*(?:;|$)/i;

/** How strictly a request is read. A schema is named by the operation that it belongs to. */
export interface ReadingRules {
  /** The error of how the body was sent, before anything of it is read; null: it is read. */
  readonly framingProblem: (call: SeenCall) => Problem | null;
  /** The value that an empty body stands for; null: it is refused. */
  readonly emptyBody: (schema: string) => object | null;
  /** The error of a media type; null: the body is read. */
  readonly mediaTypeProblem: (mediaType: string) => Problem | null;
  /** The JSON text that is parsed. */
  readonly text: (text: string) => string;
  /** The value that a body that is no JSON stands for; null: it is refused. */
  readonly malformedBody: (schema: string) => object | null;
  /** The error of parsed JSON before its schema is asked. */
  readonly valueProblem: (value: unknown, schema: string) => Problem | null;
  /** The value that its schema is asked about. */
  readonly value: (value: unknown, call: SeenCall) => unknown;
  readonly problems: (found: readonly RequestProblem[], schema: string, value: unknown) => readonly RequestProblem[];
  /** Members that a valid request may lack. */
  readonly defaults: (schema: string) => object;
  readonly unknownModel: (id: string, kind: string) => Problem;
}

export const lawfulReadingRules: ReadingRules = {
  framingProblem: () => null,
  emptyBody: () => null,
  mediaTypeProblem: (mediaType) =>
    jsonMediaType.test(mediaType) ? null : invalidField("content-type", "application/json", "unsupported_media_type"),
  text: (text) => text,
  malformedBody: () => null,
  valueProblem: () => null,
  value: (value) => value,
  problems: (found) => found,
  defaults: () => ({}),
  unknownModel,
};
