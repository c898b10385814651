import { gzipSync } from "node:zlib";
import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Lease, RateHeaders } from "../engine/admission.ts";
import type { LimitRefusal } from "../engine/refusal.ts";
import { asksForStream } from "./asks-for-stream.ts";
import type { Call } from "./call.ts";
import { composeHead } from "./compose-head.ts";
import { answeredStatus, errorBody } from "./error-body.ts";
import { executeAnyway, operateOnHeaders, operateOnHint, operateOnRefusal } from "./operate.ts";
import { serverProblem, type Problem } from "./problem.ts";
import { distortText } from "./distort-text.ts";

/** Writes a complete JSON response. */
export function respondJson(
  call: Call,
  status: number,
  body: unknown,
  rate: RateHeaders,
  headers: Readonly<Record<string, string>> = {},
): void {
  writeText(
    call,
    status,
    distortText(call, status, JSON.stringify(withExtras(call, wrapped(call, status, body)))),
    rate,
    headers,
  );
}

const wrapping: Readonly<Partial<Record<EndpointId, string>>> = {
  chat: "chat/wrapped-in-array",
  embeddings: "embeddings/wrapped-in-array",
  images: "images/wrapped-in-array",
};

/** A success as an array with the object in it. */
function wrapped({ endpoint, service: { switches } }: Call, status: number, body: unknown): unknown {
  const defect = endpoint === null ? undefined : wrapping[endpoint];
  return status === 200 && defect !== undefined && switches.on(defect) ? [body] : body;
}

/** Unknown members are lawful everywhere (requirement SVC-016). */
function withExtras(call: Call, body: unknown): unknown {
  const { switches } = call.service;
  if (!switches.on("transport/extra-members") || typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return { ...body, x_region: "eu-1", x_debug: { cached: false, weights: [1, null] } };
}

export function writeText(
  call: Call,
  status: number,
  text: string,
  rate: RateHeaders,
  headers: Readonly<Record<string, string>>,
  contentType: string = jsonType(call, status),
): void {
  const { response } = call;
  if (response.headersSent || response.destroyed) return;
  const { switches } = call.service;
  const plain = switches.on("transport/invalid-utf8") ? Buffer.concat([Buffer.from(text), invalidUtf8]) : text;
  const packs = plain.length > 0 && takesGzip(call);
  const bytes = packs ? gzipSync(plain) : plain;
  const length = typeof bytes === "string" ? Buffer.byteLength(bytes) : bytes.length;
  const chunked = status === 204 || switches.on("transport/chunked-bodies");
  const fields = packs ? { ...headers, "content-encoding": "gzip", vary: "accept-encoding" } : headers;
  response.writeHead(status, composeHead(call, { status, contentType, length: chunked ? null : length, rate, headers: fields }));
  response.end(status === 204 ? undefined : bytes);
}

function takesGzip({ service, incoming }: Call): boolean {
  return service.switches.on("transport/gzip") && /\bgzip\b/.test(incoming.headers["accept-encoding"] ?? "");
}

const invalidUtf8 = Buffer.from([0x20, 0xc3, 0x28]);

function jsonType(call: Call, status: number): string {
  const { switches } = call.service;
  if (switches.on("headers/json-as-text")) return "text/plain; charset=utf-8";
  if (switches.on("headers/errors-as-html-type") && status >= 400) return "text/html; charset=utf-8";
  return switches.on("headers/json-charset") ? "application/json; charset=utf-8" : "application/json";
}

/** Writes an error; its rate headers come from the lease when the request was admitted, else from `unadmittedHeaders`. */
export function respondProblem(call: Call, problem: Problem, lease: Lease | null = null): void {
  const { service, endpoint } = call;
  const { switches } = service;
  const status = answeredStatus(problem, switches);
  executeAnyway(call, problem.status);
  const rate = lease?.rateHeaders() ?? service.engine.unadmittedHeaders(call.key, endpoint, problem.status);
  const headers = problemHeaders(call, problem);
  if (problem.status === 402 && switches.on("auth/402-as-quota")) {
    return respondJson(call, 429, { error: "quota_exceeded", retry_after_ms: 86_400_000, cap_type: "monthly_spend" }, rate);
  }
  if (isSentInStream(call, problem.status)) return respondEvent(call, errorBody(problem, switches, call.requestId), rate);
  if (status === 401 && switches.on("errors/empty-body-on-401")) return writeText(call, status, "", rate, headers);
  if (problem.status === 404 && switches.on("errors/html-on-404"))
    return writeText(call, status, errorPage("404 Not Found"), rate, headers, "text/html");
  if (problem.status === 422 && switches.on("errors/html-on-422"))
    return writeText(call, status, errorPage("Error"), rate, headers, "text/html");
  if (problem.status === 500 && switches.on("errors/500-plain-text"))
    return writeText(call, status, "Internal Server Error", rate, headers, "text/plain");
  if (problem.status === 502 && switches.on("errors/502-html"))
    return writeText(call, status, errorPage("502 Bad Gateway"), rate, headers, "text/html");
  if (problem.status === 503 && switches.on("errors/503-empty")) return writeText(call, status, "", rate, headers, "text/plain");
  const refused = operateOnRefusal(call, { status, body: errorBody(problem, switches, call.requestId) });
  const hinted = problem.status === 503 ? operateOnHint(call, "unavailable", { headers, body: {} }).headers : headers;
  respondJson(call, refused.status, refused.body, operateOnHeaders(call, rate), hinted);
}

function errorPage(title: string): string {
  return `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center></body></html>`;
}

function problemHeaders(call: Call, problem: Problem): Readonly<Record<string, string>> {
  const { switches, engine } = call.service;
  if (problem.status === 401) return switches.on("auth/no-challenge") ? {} : { "www-authenticate": 'Bearer realm="inference"' };
  if (problem.status !== 503) return problem.headers ?? {};
  const seconds = Number(problem.headers?.["retry-after"] ?? 30);
  if (switches.on("errors/503-without-retry-after")) return {};
  if (switches.on("errors/503-retry-after-words")) return { "retry-after": "soon" };
  if (switches.on("errors/503-retry-after-fraction")) return { "retry-after": `${seconds}.5` };
  if (switches.on("errors/503-retry-after-negative")) return { "retry-after": `-${seconds}` };
  if (switches.on("errors/503-retry-after-long")) return { "retry-after": "3600" };
  if (switches.on("errors/503-retry-after-date"))
    return { "retry-after": new Date(engine.clock.wallMs() + seconds * 1000).toUTCString() };
  return { "retry-after": String(seconds) };
}

/** A 429, complete as the engine wrote it (it switches shapes and retry hints itself). */
export function respondLimit(call: Call, refusal: LimitRefusal, rate: RateHeaders): void {
  if (isSentInStream(call, refusal.status)) return respondEvent(call, refusal.body, rate);
  const { switches } = call.service;
  if (switches.on("stream/429-as-text") && asksForStream(call))
    return writeText(call, refusal.status, "Too Many Requests", rate, refusal.headers, "text/plain");
  const status = switches.on("errors/429-as-403") ? 403 : refusal.status;
  const { headers, body } = operateOnHint(call, refusal.cause, refusal);
  respondJson(call, status, body, rate, headers);
}

/** Some services open the stream first and show the error in it. */
function isSentInStream(call: Call, status: number): boolean {
  const { switches } = call.service;
  const on =
    (status === 401 && switches.on("stream/401-as-event")) ||
    (status === 422 && switches.on("stream/422-as-event")) ||
    (status === 429 && switches.on("stream/429-as-event"));
  return on && asksForStream(call);
}

function respondEvent(call: Call, body: unknown, rate: RateHeaders): void {
  writeText(call, 200, `data: ${JSON.stringify(body)}\n\ndata: [DONE]\n\n`, rate, {}, "text/event-stream");
}

/** Last resort: the request failed for a reason that nobody foresaw; never shows why. */
export function respondCrash(call: Call, lease: Lease | null = null): void {
  if (call.response.headersSent) call.response.destroy();
  else respondProblem(call, serverProblem(500), lease);
}
