import type { EndpointId } from "../../src/core/exchange/endpoint.ts";
import type { Exchange, RecordedBody, RecordedEvent } from "../../src/core/exchange/exchange.ts";
import { exchangeOf } from "../../test/make/load/exchange-fixture.ts";

export interface LoadAnswers {
  /** A chat completion. */
  readonly answer: Exchange;
  /** From a target that states no limits: each answer is accused. */
  readonly bare: Exchange;
  readonly refused: Exchange;
  readonly stream: Exchange;
  /** The other answers that load meets, by their name in a sentence. */
  readonly kinds: Readonly<Record<string, Exchange>>;
}

type Fields = Exchange["request"]["headers"];

/** Lawful answers as the engine records them, of now: judges hold the instant of an answer against its Date. */
export function loadAnswers(eventsOfStream: number): LoadAnswers {
  return {
    answer: answerTo(chat, 200, completion),
    bare: answerTo(chat, 200, completion, { limits: [] }),
    refused: limited,
    stream: streamOf(eventsOfStream),
    kinds: {
      "a chat completion": answerTo(chat, 200, completion),
      "a list of 4 models": answerTo(models, 200, modelsOf(4)),
      "a list of 40 models": answerTo(models, 200, modelsOf(40)),
      "an embedding of 1,536 numbers": answerTo(embeddings({}), 200, embeddingOf(Array.from({ length: 1536 }, element))),
      "the same in base64": answerTo(embeddings({ encoding_format: "base64" }), 200, embeddingOf(base64)),
      "two images": answerTo(images, 200, { created: nowSeconds, data: [1, 2].map(imageOf) }),
      "a transcription": answerTo(transcription, 200, { text: "word ".repeat(60) }),
      "a report of a day by the hour": answerTo(usage, 200, usageOf(24)),
      "a 429 for a rate": limited,
      "a 429 for a burst": answerTo(
        chat,
        429,
        { ...errorOf("burst_limit"), "retry-after": 12 },
        { fields: [["retry-after", "12"]] },
      ),
      "a 429 for a cap": answerTo(chat, 429, { error: "quota_exceeded", retry_after_ms: 86_400_000, cap_type: "monthly_spend" }),
      "a 401": answerTo(chat, 401, errorOf("unauthorized"), { fields: [["www-authenticate", "Bearer"]] }),
      "a 500": answerTo(chat, 500, errorOf("internal_error")),
      "a 503": answerTo(chat, 503, errorOf("overloaded"), { fields: [["retry-after", "60"]] }),
    },
  };
}

const nowSeconds = Math.floor(Date.now() / 1000);
const timing: Exchange["timing"] = { ...exchangeOf({}).timing, wallMs: Date.now() };

function limitsWith(remaining: string): Fields {
  return ["requests", "tokens"].flatMap((unit): [string, string][] => [
    [`x-ratelimit-limit-${unit}`, "600"],
    [`x-ratelimit-remaining-${unit}`, unit === "requests" ? remaining : "599"],
    [`x-ratelimit-reset-${unit}`, String(nowSeconds + 60)],
  ]);
}

interface Asked {
  readonly endpoint: EndpointId;
  readonly request: Exchange["request"];
}

function asked(endpoint: EndpointId, path: string, body: RecordedBody | null): Asked {
  const headers: Fields = [["content-type", "application/json"]];
  return { endpoint, request: { method: body === null ? "GET" : "POST", path, headers, body } };
}

function bodyOf(value: unknown): RecordedBody {
  const text = JSON.stringify(value);
  return { bytes: text.length, sha256: "", text, truncated: false };
}

const question = { model: "m", messages: [{ role: "user", content: "word ".repeat(50) }], max_tokens: 60 };
const chat: Asked = asked("chat", "/v1/chat/completions", bodyOf(question));
const models: Asked = asked("models", "/v1/models", null);
const images: Asked = asked("images", "/v1/images/generations", bodyOf({ prompt: "word ".repeat(10), n: 2 }));
const usage: Asked = asked("usage", "/v1/usage?from=2026-01-30T00:00:00Z&to=2026-01-31T00:00:00Z&granularity=hour", null);
const recording: RecordedBody = { bytes: 3000, sha256: "", base64: "/////////////".repeat(300), truncated: false };
const transcription: Asked = asked("transcriptions", "/v1/audio/transcriptions", recording);
const embeddings = (more: object): Asked =>
  asked("embeddings", "/v1/embeddings", bodyOf({ model: "m", input: "word ".repeat(20), ...more }));

interface AnswerOptions {
  readonly limits?: Fields;
  readonly fields?: Fields;
}

function answerTo(
  to: Asked,
  status: number,
  value: unknown,
  { limits = limitsWith("599"), fields = [] }: AnswerOptions = {},
): Exchange {
  const type: Fields = [
    ["content-type", "application/json"],
    ["date", new Date(1000 * nowSeconds).toUTCString()],
  ];
  return exchangeOf({
    ...to,
    timing,
    response: { status, headers: [...type, ...limits, ...fields], body: bodyOf(value), stream: null },
  });
}

const completion = {
  id: "c1",
  object: "chat.completion",
  created: nowSeconds,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(20) }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
};

function modelsOf(count: number): object {
  const data = Array.from({ length: count }, (_, number) => ({
    id: `bench-model-${number}`,
    object: "model",
    created: 1_790_000_000 - number,
    owned_by: "the bench of a load generator",
  }));
  return { object: "list", data };
}

function element(_: unknown, index: number): number {
  return Number(Math.sin(1 + index).toFixed(8));
}

const base64: string = Buffer.from(Float32Array.from({ length: 1536 }, element).buffer).toString("base64");

function embeddingOf(embedding: string | readonly number[]): object {
  const data = [{ object: "embedding", index: 0, embedding }];
  return { object: "list", data, model: "m", usage: { prompt_tokens: 20, total_tokens: 20 } };
}

function imageOf(number: number): object {
  return { url: `https://images.example/${number}.png?signature=0123456789abcdef`, revised_prompt: "word ".repeat(10) };
}

function usageOf(hours: number): object {
  const counts = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30, cost_usd: 0.01 };
  const data = Array.from({ length: hours }, (_, hour) => ({
    timestamp: `2026-01-30T${String(hour).padStart(2, "0")}:00:00Z`,
    ...counts,
  }));
  return { object: "list", data, aggregate: { total_tokens: 30 * hours, total_cost_usd: 0.01 * hours } };
}

function errorOf(code: string): object {
  return { error: { code, message: "too many words" } };
}

const limited: Exchange = answerTo(
  chat,
  429,
  { ...errorOf("rate_limit_exceeded"), "retry-after": 60 },
  { limits: limitsWith("0"), fields: [["retry-after", "60"]] },
);

function streamOf(tokens: number): Exchange {
  const event = (index: number, data: string): RecordedEvent => ({
    atMs: 100 + 10 * index,
    earliestMs: 100 + 10 * index,
    read: index,
    event: "message",
    data,
  });
  const chunk = (index: number, choice: object): RecordedEvent => {
    const { id, created, model } = completion;
    const choices = [{ index: 0, ...choice }];
    return event(index, JSON.stringify({ id, object: "chat.completion.chunk", created, model, choices }));
  };
  const words = Array.from({ length: tokens }, (_, index) =>
    chunk(index + 1, { delta: { content: " word" }, finish_reason: null }),
  );
  const events = [
    chunk(0, { delta: { role: "assistant" }, finish_reason: null }),
    ...words,
    chunk(tokens + 1, { delta: {}, finish_reason: "stop" }),
    event(tokens + 2, "[DONE]"),
  ];
  const { endpoint, request } = asked("chat", "/v1/chat/completions", bodyOf({ ...question, stream: true }));
  return exchangeOf({
    endpoint,
    request,
    timing,
    response: {
      status: 200,
      headers: [["content-type", "text/event-stream"], ["date", new Date(1000 * nowSeconds).toUTCString()], ...limitsWith("599")],
      body: null,
      stream: { events, comments: 0, pendingAtEnd: false, validUtf8: true, bytes: 1, sha256: "" },
    },
  });
}
