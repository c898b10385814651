import type { Ticket, RateHeaders } from "../engine/admission.ts";
import type { LimitRefusal } from "../engine/refusal.ts";
import type { Call } from "./call.ts";
import { composeHead } from "./compose-head.ts";
import { type Problem, serverProblem } from "./problem.ts";
import type { ErrorShape } from "./error-shape.ts";

/** Writes a complete JSON response. */
export function respondJson(
  call: Call,
  status: number,
  body: unknown,
  rate: RateHeaders,
  headers: Readonly<Record<string, string>> = {},
): void {
  const { answers } = call.service.seams;
  const facts = { endpoint: call.endpoint, status };
  writeText(call, status, answers.text(JSON.stringify(answers.body(body, facts)), facts), rate, headers);
}

export function writeText(
  call: Call,
  status: number,
  text: string,
  rate: RateHeaders,
  headers: Readonly<Record<string, string>>,
  contentType: string = call.service.seams.answers.jsonType(status),
): void {
  const { response } = call;
  if (response.headersSent || response.destroyed) return;
  const { answers } = call.service.seams;
  const { bytes, fields } = answers.encoded(answers.bytes(text), call.incoming.headers["accept-encoding"] ?? "");
  const length = typeof bytes === "string" ? Buffer.byteLength(bytes) : bytes.length;
  const chunked = status === 204 || answers.isChunked();
  response.writeHead(
    status,
    composeHead(call, { status, contentType, length: chunked ? null : length, rate, headers: { ...headers, ...fields } }),
  );
  response.end(status === 204 ? undefined : bytes);
}

/** Writes an error; its rate headers come from the ticket when the request was admitted, else from `unadmittedHeaders`. */
export function respondProblem(call: Call, problem: Problem, ticket: Ticket | null = null): void {
  const { engine, seams } = call.service;
  const rate = ticket?.rateHeaders() ?? engine.unadmittedHeaders(call.key, call.endpoint, problem.status);
  const { headers = {} } = problem;
  const fields = problem.status === 401 ? { "www-authenticate": 'Bearer realm="inference"' } : headers;
  const answer = seams.errors.problem(
    {
      status: seams.errors.status(problem),
      headers: seams.errors.headers(fields, problem, engine.clock.wallMs()),
      json: errorBody(problem, seams.errors, call.requestId),
    },
    problem,
    call,
  );
  if ("text" in answer) return writeText(call, answer.status, answer.text, rate, answer.headers, answer.contentType);
  respondJson(call, answer.status, answer.json, seams.errors.rateFields(rate, call), answer.headers);
}

/** A 429, complete as the engine wrote it. */
export function respondLimit(call: Call, refusal: LimitRefusal, rate: RateHeaders): void {
  const { status, headers, body } = refusal;
  const answer = call.service.seams.errors.limit({ status, headers, json: body }, refusal, call);
  if ("text" in answer) return writeText(call, answer.status, answer.text, rate, answer.headers, answer.contentType);
  respondJson(call, answer.status, answer.json, rate, answer.headers);
}

/** Last resort: the request failed for a reason that nobody foresaw; never shows why. */
export function respondCrash(call: Call, ticket: Ticket | null = null): void {
  if (call.response.headersSent) call.response.destroy();
  else respondProblem(call, serverProblem(500), ticket);
}

/** The error shape of the specification: `error.code`, and `error.details` exactly when validation failed. */
function errorBody(problem: Problem, shape: ErrorShape, requestId: string): unknown {
  const { code, message } = problem;
  const details = problem.details === undefined ? undefined : shape.details(problem.details, problem);
  const error = { code, message, ...(details === undefined ? {} : { details }) };
  return shape.body({ error: shape.error(error, problem, requestId) }, problem);
}
