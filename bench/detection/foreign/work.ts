import { base64Of, countTokens, floorTo, isRecording, pngOf, readForm, vectorOf, wordsAbout } from "./contents.ts";
import { type Call, type Desk, headOf, refuse, refuseFaults, reply } from "./reply.ts";
import { type Bag, chatFaults, imageFaults, isBag, vectorFaults } from "./rules.ts";

export const chatModel = "loom-2";
const datedModel = "loom-2-2026-03";
export const vectorModel = "thread-1";
export const audioModel = "ear-1";
const vectorLength = 384;
const born = 1_740_000_000;

/** The state that overlapping requests share, for mistakes under concurrency. */
const last: { words: readonly string[]; text: string } = { words: [], text: "" };
const pause = async (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Parsed; undefined: it was refused. */
function readJson(desk: Desk, call: Call): Bag | undefined {
  const type = call.request.headers["content-type"] ?? "application/json";
  if (!/^application\/json/i.test(type) || (desk.has("http/charset-refused") && type.includes("charset"))) {
    refuse(desk, call, 415, "not_json");
    return undefined;
  }
  const text = call.body.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    try {
      if (!desk.has("chat/malformed-taken") || call.endpoint !== "chat") throw new Error("no JSON");
      value = JSON.parse(`${text}}`);
    } catch {
      // Nothing can be said about single fields.
      refuse(desk, call, 422, "unreadable_body", { details: [] });
      return undefined;
    }
  }
  if (Array.isArray(value) && desk.has("http/500-for-lists")) {
    refuse(desk, call, 500, "broken");
    return undefined;
  }
  if (isBag(value)) return value;
  refuseFaults(desk, call, [{ at: "body", want: "an object" }]);
  return undefined;
}

function charge(desk: Desk, call: Call, prompt: number, completion: number, microDollars: number): void {
  const { book, has } = desk;
  if (call.holder === null) return;
  book.useTokens(call.holder, call.endpoint, prompt + completion);
  const twin = book.spent.at(-1);
  if (has("usage/loses-at-once") && twin !== undefined && book.nowMs() - twin.atMs < 2) return;
  const factor = has("usage/doubled") ? 2 : 1;
  const short = has("usage/one-short") ? 1 : 0;
  const organization = book.holders.get(call.holder)?.organization ?? "own";
  const what = { prompt: Math.max(0, prompt - short) * factor, completion: completion * factor, microDollars };
  book.spend(call.holder, organization, what);
}

export async function chat(desk: Desk, call: Call): Promise<void> {
  const { has, book } = desk;
  const body = readJson(desk, call);
  if (body === undefined) return;
  const streams = body["stream"] === true || (body["stream"] === undefined && has("chat/streams-by-default"));
  if (has("chat/messages-missing-500") && body["messages"] === undefined) return refuse(desk, call, 500, "broken");
  const faults = chatFaults(body, has);
  if (faults.length > 0) {
    if (has("usage/refused-counted") || (streams && has("usage/refused-streams-counted"))) charge(desk, call, 12, 3, 10);
    if (!streams || !has("stream/422-inside")) return refuseFaults(desk, call, faults);
    call.response.writeHead(200, { ...headOf(desk, call, 200), "Content-Type": "text/event-stream" });
    call.response.end(`event: error\ndata: ${JSON.stringify({ error: { code: "invalid_request" } })}\n\n`);
    return;
  }
  const model = body["model"] ?? chatModel;
  if (model !== chatModel && model !== datedModel) return refuse(desk, call, 400, "no_such_model");
  const messages = body["messages"] as readonly Bag[];
  const prompt = messages.reduce((sum, { content }) => sum + 3 + countTokens(String(content)), 0);
  const question = messages.map(({ content }) => (typeof content === "string" ? content : "")).at(-1) ?? "";
  const all = wordsAbout(question);
  const asked = body["max_tokens"];
  const most = typeof asked === "number" && !has("chat/max-tokens-ignored") ? asked : 1024;
  let words: readonly string[] = all.slice(0, most + (has("chat/max-tokens-plus-one") && all.length > most ? 1 : 0));
  if (has("http/swaps-chats")) {
    last.words = words;
    await pause(30);
    words = last.words;
  } else await pause(30);
  const nowMs = book.nowMs();
  const id = has("chat/one-id")
    ? "loom-completion"
    : has("chat/ids-collide")
      ? `c${Math.floor(nowMs / 4)}`
      : `c-${Math.random().toString(36).slice(2)}${call.holder?.length}`;
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: words.length,
    total_tokens: words.length + (has("chat/total-is-no-sum") ? 0 : prompt),
  };
  if (!(streams && has("usage/without-streams"))) charge(desk, call, prompt, words.length, prompt * 2 + words.length * 8);
  if (streams && !has("chat/stream-ignored")) return sendStream(desk, call, words, { id, usage });
  const created = Math.floor(nowMs / 1000);
  reply(desk, call, 200, {
    id,
    object: has("chat/object-wrong") ? "text_completion" : "chat.completion",
    created: has("chat/created-in-milliseconds") ? nowMs : has("chat/created-is-text") ? String(created) : created,
    model: datedModel,
    region: "north",
    choices: [
      {
        index: has("chat/index-from-one") ? 1 : 0,
        message: {
          role: has("chat/role-user") ? "user" : "assistant",
          content: has("chat/content-null") ? null : words.join(" "),
        },
        finish_reason: has("chat/finish-reason-null") ? null : words.length < all.length ? "length" : "stop",
      },
    ],
    ...(has("chat/no-usage") ? {} : { usage }),
  });
}

/** Events with names, a word each; the last one states the usage. Nothing marks the end but the end. */
async function sendStream(desk: Desk, call: Call, words: readonly string[], summary: unknown): Promise<void> {
  const { has } = desk;
  const { response } = call;
  if (has("stream/always-500")) return refuse(desk, call, 500, "broken");
  const fields = has("stream/no-rate-fields") ? {} : headOf(desk, call, 200);
  response.writeHead(200, { ...fields, "Content-Type": has("stream/typed-json") ? "application/json" : "text/event-stream" });
  if (has("stream/empty")) return void response.end(": nothing\r\n\r\n");
  for (let index = 0; (index < words.length || has("stream/endless")) && !response.destroyed; index += 1) {
    if (has("stream/always-cut") && index === Math.floor(words.length / 2)) return void response.destroy();
    if (has("stream/long-cut") && index === 40) return void response.destroy();
    if (has("stream/stalls") && index === 3) return;
    response.write(`event: word\r\ndata: ${JSON.stringify({ w: words[index % words.length] })}\r\n\r\n`);
    if (has("stream/invalid-utf8")) response.write(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xc3, 0x28, 0x0a, 0x0a]));
    await pause(index % 8 === 0 ? 2 : 0);
  }
  response.end(`event: done\r\ndata: ${JSON.stringify(summary)}\r\n\r\n`);
}

let vectorRequests = 0;

export async function vectors(desk: Desk, call: Call): Promise<void> {
  const { has } = desk;
  const body = readJson(desk, call);
  if (body === undefined) return;
  const faults = vectorFaults(body, has, vectorLength);
  if (faults.length > 0) {
    if (has("usage/refused-counted")) charge(desk, call, 9, 0, 2);
    return refuseFaults(desk, call, faults);
  }
  if (body["model"] !== vectorModel) return refuse(desk, call, 400, "no_such_model");
  vectorRequests += 1;
  if (has("http/500-now-and-then") && vectorRequests % 7 === 0) return refuse(desk, call, 500, "broken");
  const input = body["input"] ?? "";
  let texts = (Array.isArray(input) ? input : [input]).map(String);
  if (has("http/swaps-vectors")) {
    last.text = texts[0] ?? "";
    await pause(8);
    texts = texts.map(() => last.text);
  } else await pause(20);
  const prompt = texts.reduce((sum, text) => sum + countTokens(text), 0);
  charge(desk, call, has("usage/without-batches") ? countTokens(texts[0] ?? "") : prompt, 0, prompt);
  const isBase64 = body["encoding_format"] === "base64";
  const isDeaf = has("vectors/dimensions-ignored") || (isBase64 && has("vectors/dimensions-ignored-in-base64"));
  const usual = has("vectors/length-varies") ? vectorLength - (countTokens(texts[0] ?? "") % 5) : vectorLength;
  const length = typeof body["dimensions"] === "number" && !isDeaf ? body["dimensions"] : usual;
  if (has("vectors/order-reversed")) texts.reverse();
  if (has("vectors/first-alone")) texts.length = 1;
  const data = texts.map((text, index) => {
    const source = isBase64 && has("vectors/base64-of-another") ? `${text}!` : text;
    const vector = vectorOf(texts.length > 1 && has("vectors/batch-differs") ? `batch ${source}` : source, length);
    return {
      object: "embedding",
      index: has("vectors/index-zero") ? 0 : index,
      embedding: isBase64 && !has("vectors/base64-as-list") ? base64Of(vector) : vector,
    };
  });
  const usage = { prompt_tokens: prompt, total_tokens: prompt + (has("vectors/total-differs") ? 7 : 0) };
  reply(desk, call, 200, { object: "list", data, model: vectorModel, usage });
}

export function pictures(desk: Desk, call: Call, addresses: Map<string, string>): void {
  const { has, book } = desk;
  const body = readJson(desk, call);
  if (body === undefined) return;
  const faults = imageFaults(body, has);
  if (faults.length > 0) return refuseFaults(desk, call, faults);
  const asked = typeof body["n"] === "number" ? body["n"] : 1;
  const count = has("images/n-ignored") ? 1 : asked + (asked > 1 && has("images/n-plus-one") ? 1 : 0);
  charge(desk, call, 0, 0, count * 2000);
  const size = typeof body["size"] === "string" ? body["size"] : "1024x1024";
  const data = Array.from({ length: count }, () => {
    const name = `${Math.random().toString(36).slice(2)}.png`;
    if (!has("images/address-404")) addresses.set(name, size);
    const revised = { revised_prompt: `${String(body["prompt"])}, in soft light` };
    return { url: `http://${call.request.headers.host}/pictures/${name}`, ...(has("images/no-revised-prompt") ? {} : revised) };
  });
  const nowMs = book.nowMs();
  reply(desk, call, 200, { created: has("images/created-in-milliseconds") ? nowMs : Math.floor(nowMs / 1000), data });
}

export function sendPicture(desk: Desk, call: Call, size: string | undefined): void {
  if (size === undefined) return refuse(desk, call, 404, "no_such_picture");
  const [width = 1, height = 1] = (desk.has("images/size-ignored") ? "1024x1024" : size).split("x").map(Number);
  const png = desk.has("images/size-swapped") ? pngOf(height, width) : pngOf(width, height);
  reply(desk, call, 200, png, { "Content-Type": "image/png" });
}

export function transcribe(desk: Desk, call: Call): void {
  const { has } = desk;
  if (has("http/audio-resets")) return void call.response.destroy();
  const form = readForm(call.body, call.request.headers["content-type"] ?? "");
  if (form === null) return refuse(desk, call, 400, "no_form");
  const [file, model, language] = [form.get("file"), form.get("model"), form.get("language")];
  if (file === undefined && has("audio/no-file-500")) return refuse(desk, call, 500, "broken");
  const faults = [
    ...(file === undefined ? [{ at: "file", want: "a recording" }] : []),
    ...(model === undefined && !has("audio/model-optional") ? [{ at: "model", want: "the id of a model" }] : []),
    ...(language !== undefined && (has("audio/language-refused") || !/^[a-z]{2}$/.test(String(language.data)))
      ? [{ at: "language", want: "two letters" }]
      : []),
  ];
  if (faults.length > 0) return refuseFaults(desk, call, faults);
  if (model !== undefined && String(model.data) !== audioModel) return refuse(desk, call, 404, "no_such_model");
  const { data, file: name } = file ?? { data: Buffer.alloc(0), file: null };
  if (name?.endsWith(".m4a") === true && has("audio/m4a-500")) return refuse(desk, call, 500, "broken");
  if (!isRecording(data) || (has("audio/webm-refused") && name?.endsWith(".webm") === true)) {
    return refuseFaults(desk, call, [{ at: "file", want: "mp3, mp4, mpeg, mpga, m4a, wav or webm" }]);
  }
  charge(desk, call, 0, 0, 100);
  const text = `A recording of ${data.length} bytes.`;
  if (has("audio/plain-text")) return reply(desk, call, 200, Buffer.from(text), { "Content-Type": "text/plain" });
  reply(desk, call, 200, { text: has("audio/text-null") ? null : text, duration: 1.5 });
}

export function listModels(desk: Desk, call: Call): void {
  const { has } = desk;
  const ids = [chatModel, datedModel, vectorModel, audioModel, ...(has("models/listed-twice") ? [chatModel] : [])];
  const data = ids.map((id) => ({
    id,
    object: "model",
    created: has("models/created-is-text") ? "2025-02-19" : born,
    ...(has("models/no-owner") ? {} : { owned_by: "loom" }),
  }));
  reply(desk, call, 200, { object: has("models/object-wrong") ? "models" : "list", data: has("models/empty") ? [] : data });
}

/** Instants with `Z` or an offset, down to a second or finer. */
function readInstant(text: string | null, isDeaf: boolean): number {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)$/.exec(text ?? "");
  return parts === null ? Number.NaN : Date.parse(`${parts[1]}${isDeaf ? "Z" : parts[2]}`);
}

export function report(desk: Desk, call: Call): void {
  const { has, book } = desk;
  const query = call.url.searchParams;
  const granularity = query.get("granularity") ?? (has("usage/hours-by-default") ? "hour" : "day");
  const isDeaf = has("usage/offset-ignored");
  let fromMs = readInstant(query.get("from"), isDeaf);
  let toMs = readInstant(query.get("to"), isDeaf);
  if (query.get("from") === null && has("usage/from-optional")) fromMs = book.nowMs() - 86_400_000;
  if (Number.isNaN(toMs) && has("usage/to-unchecked")) toMs = book.nowMs();
  const faults = [
    ...(Number.isNaN(fromMs) ? [{ at: "from", want: "an instant" }] : []),
    ...(Number.isNaN(toMs) ? [{ at: "to", want: "an instant" }] : []),
    ...(["hour", "day", "month"].includes(granularity) || has("usage/granularity-unchecked")
      ? []
      : [{ at: "granularity", want: "hour, day or month" }]),
  ];
  // A query is no body: what is wrong with it is a bad request.
  if (faults.length > 0) return refuse(desk, call, 400, "bad_query", { details: faults });
  const step = has("usage/granularity-ignored") ? "day" : granularity;
  const mine = book.spent.filter(
    ({ organization, holder, atMs }) =>
      organization === book.holders.get(call.holder ?? "")?.organization &&
      (!has("usage/own-key-alone") || holder === call.holder) &&
      (has("usage/future") || (atMs >= fromMs && atMs < toMs)),
  );
  const buckets = new Map<number, { prompt: number; completion: number; micros: number }>();
  for (const { atMs, prompt, completion, microDollars } of mine) {
    // A bucket that the window cuts is labelled with the start of the window.
    const start = Math.max(fromMs, floorTo(atMs, step));
    const bucket = buckets.get(start) ?? { prompt: 0, completion: 0, micros: 0 };
    buckets.set(start, bucket);
    bucket.prompt += prompt;
    bucket.completion += completion;
    bucket.micros += microDollars;
  }
  const data = [...buckets]
    .sort(([one], [other]) => other - one)
    .map(([start, { prompt, completion, micros }]) => ({
      timestamp: new Date(start).toISOString().replace(/\.\d+Z$/, "+00:00"),
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: has("usage/total-is-no-sum") ? completion : prompt + completion,
      cost_usd: micros / (has("usage/cost-in-cents") ? 10_000 : 1_000_000),
    }));
  const counted = has("usage/aggregate-drops-one") ? [...buckets.values()].slice(1) : [...buckets.values()];
  const aggregate = {
    total_tokens: counted.reduce((sum, one) => sum + one.prompt + one.completion, 0),
    total_cost_usd: counted.reduce((sum, one) => sum + one.micros, 0) / 1_000_000,
  };
  reply(desk, call, 200, { object: "list", data, aggregate });
}

export { readJson };
