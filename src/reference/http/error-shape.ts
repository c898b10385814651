import type { RateHeaders } from "../engine/admission.ts";
import type { LimitRefusal } from "../engine/refusal.ts";
import type { Detail, Problem } from "./problem.ts";
import type { SeenCall } from "./seen-call.ts";

type Members = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

/** An error as it leaves: JSON, or text with a media type of its own. */
export type ErrorAnswer =
  | JsonAnswer
  | { readonly status: number; readonly headers: Headers; readonly text: string; readonly contentType?: string };

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
}

/** An error, from the inside out: details, `error`, body, status, fields, and at last the whole answer. */
export interface ErrorShape {
  /** undefined: the member is absent. */
  readonly details: (details: readonly Detail[], problem: Problem) => unknown;
  readonly error: (error: Members, problem: Problem, requestId: string) => Members;
  readonly body: (body: { readonly error: Members }, problem: Problem) => unknown;
  readonly status: (problem: Problem) => number;
  readonly headers: (headers: Headers, problem: Problem, nowMs: number) => Headers;
  readonly problem: (answer: ErrorAnswer, problem: Problem, call: SeenCall) => ErrorAnswer;
  readonly limit: (answer: ErrorAnswer, refusal: LimitRefusal, call: SeenCall) => ErrorAnswer;
  /** The fields of the limits beside a problem. */
  readonly rateFields: (rate: RateHeaders, call: SeenCall) => RateHeaders;
}

export const lawfulErrorShape: ErrorShape = {
  details: (details) => details,
  error: (error) => error,
  body: (body) => body,
  status: ({ status }) => status,
  headers: (headers) => headers,
  problem: (answer) => answer,
  limit: (answer) => answer,
  rateFields: (rate) => rate,
};
