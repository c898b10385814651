import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { AccountBook, Reading } from "./account-book.ts";
import type { Fault, Has } from "./rules.ts";

/** One request on its way through the service. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly body: Buffer;
  readonly endpoint: string;
  /** Name of the key; null: none that is valid. */
  readonly holder: string | null;
  readonly token: string;
  reading: Reading | null;
}

/** The answer that is about to be sent. */
export interface Answer {
  status: number;
  value: unknown;
  heads: Record<string, string>;
}

export interface Desk {
  readonly book: AccountBook;
  readonly has: Has;
  readonly gzip: boolean;
  /** The size of each picture by its name. */
  readonly sizes: Map<string, string>;
  /** Changes of answers by the behaviours that are switched on. */
  readonly changes: readonly ((call: Call, answer: Answer, desk: Desk) => void)[];
}

const seconds = (unixMs: number): number => Math.ceil(unixMs / 1000);

/** The six fields as this service writes them, mistakes included. */
function rateFields({ book, has }: Desk, { reading, endpoint }: Call, status: number): Record<string, string> {
  if (reading === null) return {};
  if (status === 422 && has("rate/missing-on-422")) return {};
  if (status === 404 && has("rate/missing-on-404")) return {};
  const nowMs = book.nowMs();
  const reset = (atMs: number): number => {
    if (has("rate/reset-in-milliseconds")) return Math.round(atMs);
    if (has("rate/reset-is-a-delay")) return seconds(atMs - nowMs);
    return has("rate/reset-is-past") ? seconds(nowMs - 60_000) : seconds(atMs);
  };
  let left: number = Math.max(0, reading.left);
  if (has("rate/remaining-counts-up")) left = Math.min(reading.limit, reading.limit - left);
  if (has("rate/remaining-zero")) left = 0;
  if (has("rate/remaining-constant")) left = reading.limit - 1;
  if (has("rate/remaining-above-limit")) left = reading.limit + 1;
  if (has("rate/remaining-fraction")) left += 0.5;
  return {
    "X-RateLimit-Limit-Requests": has("rate/limit-in-words") ? `${reading.limit} req` : String(reading.limit),
    "X-RateLimit-Remaining-Requests": String(left),
    "X-RateLimit-Reset-Requests": String(reset(reading.resetMs)),
    ...(endpoint === "models" && has("rate/tokens-missing-on-models")
      ? {}
      : {
          "X-RateLimit-Limit-Tokens": String(reading.tokenLimit),
          "X-RateLimit-Remaining-Tokens": String(reading.tokensLeft),
          "X-RateLimit-Reset-Tokens": String(reset(reading.tokenResetMs)),
        }),
  };
}

export function headOf(desk: Desk, call: Call, status: number): Record<string, string> {
  return {
    Date: new Date(desk.book.nowMs()).toUTCString(),
    "X-Trace": Math.random().toString(36).slice(2),
    ...rateFields(desk, call, status),
  };
}

export function reply(desk: Desk, call: Call, asStatus: number, said?: unknown, more: Record<string, string> = {}): void {
  const { response, request } = call;
  if (response.headersSent || response.destroyed) return;
  const answer: Answer = { status: asStatus, value: said, heads: more };
  for (const change of desk.changes) change(call, answer, desk);
  const { status, value, heads } = answer;
  if (value === undefined) {
    response.writeHead(status, { ...headOf(desk, call, status), ...heads }).end();
    return;
  }
  const encoding = desk.has("http/latin1") ? "latin1" : "utf8";
  const bytes = value instanceof Buffer ? value : Buffer.from(JSON.stringify(value), encoding);
  const packs = desk.gzip && /gzip/.test(request.headers["accept-encoding"] ?? "") && bytes.length > 200;
  const body = packs ? gzipSync(bytes) : bytes;
  const isGood = status < 300;
  const fields: Record<string, string> = {
    ...headOf(desk, call, status),
    "Content-Type": isGood && desk.has("http/answers-in-text") ? "text/plain" : "application/json; charset=utf-8",
    ...(packs ? { "Content-Encoding": "gzip" } : {}),
    "Content-Length": String(body.length),
    ...heads,
  };
  response.writeHead(status, fields);
  if (call.endpoint === "images" && isGood && desk.has("http/image-cut")) {
    response.write(body.subarray(0, body.length >> 1), () => response.destroy());
    return;
  }
  response.end(body);
}

/** A common error; `code` is for machines, `title` for people. */
export function refuse(desk: Desk, call: Call, status: number, code: string, more: Record<string, unknown> = {}): void {
  const { has } = desk;
  const title = has("auth/repeats-the-key") && call.token !== "" ? `${code} (${call.token})` : code.replaceAll("_", " ");
  const named = status === 401 && has("auth/no-code") ? { title } : { code, title };
  reply(desk, call, status, { error: { ...named, ...more }, trace: "none" });
}

/** Failed validation: a value out of range is 422, one of the wrong JSON type alone is 400. */
export function refuseFaults(desk: Desk, call: Call, faults: readonly Fault[]): void {
  const { has } = desk;
  if (has("http/list-as-error")) return reply(desk, call, 422, faults);
  if (has("http/error-as-text")) return reply(desk, call, 422, { error: "something is wrong", details: faults });
  const isChat = call.endpoint === "chat";
  const shown = isChat && has("chat/first-detail-alone") ? faults.slice(0, 1) : faults;
  const details = shown.map(({ at, want }) => (isChat && has("chat/details-without-format") ? { at } : { at, want }));
  const status = (isChat && has("chat/400-for-422")) || faults.every(({ type }) => type === true) ? 400 : 422;
  refuse(desk, call, status, "invalid_request", isChat && has("chat/no-details") ? {} : { details });
}
