import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServiceClock } from "../../../src/reference/clock/service-clock.ts";
import type { FieldCall, FieldEnd, FieldOperation, FieldUsage } from "./field-call.ts";
import { answerTo, promptOf, usageMembers, vectorOf } from "./field-content.ts";
import { FieldLedger } from "./field-ledger.ts";
import { type FieldDecision, FieldLimiter } from "./field-limiter.ts";
import { type FieldAnswer, type FieldRules, lawfulRules, type FieldWindow } from "./field-rules.ts";
import { chatModel, faultsOf, queryFaults, vectorModel } from "./read-field-request.ts";

export interface FieldServer {
  readonly url: string;
  readonly keys: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export const fieldKeys: Readonly<Record<string, string>> = {
  primary: "field-key-primary-0123456789",
  secondary: "field-key-secondary-0123456789",
  examTokens: "field-key-tokens-0123456789",
};

const operations: Readonly<Record<string, { readonly method: string; readonly operation: FieldOperation }>> = {
  "/v1/models": { method: "GET", operation: "models" },
  "/v1/chat/completions": { method: "POST", operation: "chat" },
  "/v1/embeddings": { method: "POST", operation: "embeddings" },
  "/v1/usage": { method: "GET", operation: "usage" },
};

const bornSeconds = 1_700_000_000;
/** Tokens of a stream leave in groups. */
const groupSize = 8;
const groupMs = 30;

const error = (status: number, code: string, more: object = {}): FieldAnswer => ({
  status,
  headers: status === 401 ? { "www-authenticate": "Bearer" } : {},
  body: { error: { code, message: code.replaceAll("_", " "), ...more } },
});

/** A small server of four operations, with these rules in place of the lawful ones. */
export async function serveField(changes: Partial<FieldRules>, clock: ServiceClock): Promise<FieldServer> {
  const service = new FieldService({ ...lawfulRules, ...changes }, clock);
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    request.on("error", () => undefined);
    service.answer(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys: fieldKeys, close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((closed) => server.close(() => closed()));
}

class FieldService {
  readonly #rules: FieldRules;
  readonly #clock: ServiceClock;
  readonly #limiter: FieldLimiter;
  readonly #ledger = new FieldLedger();
  #requests = 0;

  constructor(rules: FieldRules, clock: ServiceClock) {
    this.#rules = rules;
    this.#clock = clock;
    this.#limiter = new FieldLimiter(rules, clock);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const number = (this.#requests += 1);
    const url = new URL(request.url ?? "/", "http://field");
    const secret = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const key = Object.entries(fieldKeys).find(([, value]) => value === secret)?.[0];
    if (key === undefined) {
      if ((await readText(request)) === null) return;
      return this.#write(response, this.#rules.problem(error(401, "invalid_api_key"), null), null);
    }
    const known = operations[url.pathname];
    const route = known?.method === request.method ? known : undefined;
    const head: FieldCall = {
      key,
      operation: route?.operation ?? "models",
      headers: request.headers,
      path: request.url ?? "/",
      query: url.searchParams,
      body: {},
      streams: false,
      response,
      number,
    };
    const begun = this.#limiter.begin(head);
    const text = await readText(request);
    if (text === null) return begun.fails();
    const body = readJson(text);
    const call: FieldCall = { ...head, body: body ?? {}, streams: body?.["stream"] === true };
    const problem =
      route === undefined ? error(404, "not_found") : this.#problemOf(call, body === null && route.method === "POST");
    if (problem !== null) {
      begun.fails();
      return this.#write(response, this.#rules.problem(problem, call), this.#fields(call, this.#limiter.read(call), false));
    }
    begun.goesOn();
    const early = this.#rules.before(call, this.#clock.wallMs());
    if (early !== null) return this.#write(response, early, {});
    await this.#limited(call);
  }

  #problemOf(call: FieldCall, isMalformed: boolean): FieldAnswer | null {
    if (isMalformed) return error(422, "malformed_json", { details: [{ field: "body", expected: "a JSON object" }] });
    const found = call.operation === "usage" ? queryFaults(call.query) : faultsOf(call.operation, call.body);
    const faults = this.#rules.faults(found, call);
    if (faults.length > 0) return error(422, "invalid_request", { details: faults });
    const model = { chat: chatModel, embeddings: vectorModel, models: null, usage: null }[call.operation];
    return model === null || call.body["model"] === model || found.length > 0 ? null : error(404, "model_not_found");
  }

  async #limited(call: FieldCall): Promise<void> {
    const { operation } = call;
    const prompt = operation === "chat" || operation === "embeddings" ? promptOf(call) : 0;
    const promised = { prompt, completion: operation === "chat" ? answerTo(call).words.length : 0 };
    const decision = await this.#limiter.ask(call, promised);
    if (decision.kind === "refused") {
      const { refusal } = decision;
      const plain: FieldAnswer = {
        status: 429,
        headers: { "retry-after": String(refusal.waitSeconds) },
        body: {
          error: {
            code: refusal.cause === "tokens" ? "token_limit_exceeded" : "rate_limit_exceeded",
            message: "too many requests",
          },
          "retry-after": refusal.waitSeconds,
        },
      };
      const answer = this.#rules.refusal(plain, refusal);
      return this.#write(call.response, answer, this.#fields(call, refusal.window, true));
    }
    if (operation === "chat" && call.streams) return this.#stream(call, decision, prompt);
    const body = this.#bodyOf(call, promised);
    decision.end(promised, "whole");
    if (operation !== "models" && operation !== "usage") this.#enter(call, promised, "whole");
    // Tokens as known by now; requests as decided.
    const window = { ...decision.window, tokens: this.#limiter.read(call).tokens };
    const answer = this.#rules.after(
      call,
      { status: 200, headers: this.#fields(call, window, false), body },
      this.#clock.wallMs(),
    );
    this.#write(call.response, answer, {});
  }

  #bodyOf(call: FieldCall, usage: FieldUsage): object {
    const stated = usageMembers(this.#rules.stated(usage, call));
    switch (call.operation) {
      case "models": {
        const entry = (id: string): object => ({ id, object: "model", created: bornSeconds, owned_by: "field" });
        return { object: "list", data: this.#rules.models([entry(chatModel), entry(vectorModel)]) };
      }
      case "usage":
        return this.#ledger.report(call.query, this.#rules);
      case "embeddings": {
        const list = [call.body["input"]].flat().map((text, index) => ({
          object: "embedding",
          index,
          embedding: vectorOf(String(text), call.body["encoding_format"]),
        }));
        const { prompt_tokens, total_tokens } = stated;
        return {
          object: "list",
          data: this.#rules.vectors(list, call),
          model: vectorModel,
          usage: { prompt_tokens, total_tokens },
        };
      }
      case "chat": {
        const { words, reason } = answerTo(call);
        const message = { role: "assistant", content: words.join("") };
        const choices = [{ index: 0, message, finish_reason: reason }];
        return this.#rules.chat({ ...this.#identity(call, "chat.completion"), choices, usage: stated }, call);
      }
      default:
        return call.operation satisfies never;
    }
  }

  #identity({ number }: FieldCall, object: string): object {
    return { id: `chat-${number}`, object, created: Math.floor(this.#clock.wallMs() / 1000), model: chatModel };
  }

  async #stream(call: FieldCall, decision: FieldDecision & { readonly kind: "served" }, prompt: number): Promise<void> {
    const { response } = call;
    const { words, reason } = answerTo(call);
    const identity = this.#identity(call, "chat.completion.chunk");
    const chunk = (delta: object, finish: string | null): string =>
      JSON.stringify({ ...identity, choices: [{ index: 0, delta, finish_reason: finish }] });
    const end = (completion: number, how: FieldEnd): void => {
      decision.end({ prompt, completion }, how);
      this.#enter(call, { prompt, completion }, how);
    };
    response.writeHead(200, {
      ...this.#head(),
      ...this.#fields(call, decision.window, false),
      "content-type": "text/event-stream",
    });
    const usage = usageMembers(this.#rules.stated({ prompt, completion: words.length }, call));
    const events = this.#rules.events([
      chunk({ role: "assistant", content: "" }, null),
      ...words.map((word) => chunk({ content: word }, null)),
      chunk({}, reason),
      JSON.stringify({ ...identity, choices: [], usage }),
    ]);
    const groups = Math.ceil(events.length / groupSize);
    for (let group = 0; group < groups; group += 1) {
      if (response.destroyed) return end(Math.min(words.length, group * groupSize), "left");
      const own = events.slice(group * groupSize, (group + 1) * groupSize);
      response.write(own.map((event) => `data: ${event}\n\n`).join(""));
      await this.#clock.sleepUntil(this.#clock.wallMs() + groupMs);
    }
    if (response.destroyed) return end(words.length, "left");
    end(words.length, "whole");
    response.end("data: [DONE]\n\n");
  }

  #enter(call: FieldCall, usage: FieldUsage, end: FieldEnd): void {
    this.#ledger.add(this.#rules.entries({ ...usage, atMs: this.#clock.wallMs(), streams: call.streams }, end));
  }

  #fields(call: FieldCall, window: FieldWindow, refused: boolean): FieldAnswer["headers"] {
    const { limit, tokenLimit } = this.#rules;
    const reset = String(Math.ceil(window.endMs / 1000));
    const plain = {
      "x-ratelimit-limit-requests": String(limit),
      "x-ratelimit-remaining-requests": String(Math.max(0, limit - window.count)),
      "x-ratelimit-reset-requests": reset,
      "x-ratelimit-limit-tokens": String(tokenLimit),
      "x-ratelimit-remaining-tokens": String(Math.max(0, tokenLimit - window.tokens)),
      "x-ratelimit-reset-tokens": reset,
    };
    return this.#rules.limitFields(plain, { window, nowMs: this.#clock.wallMs(), call, refused });
  }

  #head(): Readonly<Record<string, string>> {
    return { date: new Date(this.#clock.wallMs()).toUTCString() };
  }

  #write(response: ServerResponse, { status, headers, body }: FieldAnswer, fields: FieldAnswer["headers"] | null): void {
    if (response.destroyed || response.headersSent) return;
    const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const all = {
      ...this.#head(),
      "content-type": "application/json",
      ...fields,
      ...headers,
      "content-length": String(bytes.length),
    };
    response.writeHead(status, all as Record<string, string | string[]>);
    response.end(bytes);
  }
}

async function readText(request: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of request) pieces.push(piece as Buffer);
  } catch {
    // The client left in the middle of its request.
    return null;
  }
  return Buffer.concat(pieces).toString("utf8");
}

function readJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}
