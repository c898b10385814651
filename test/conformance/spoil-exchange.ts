import type { Exchange, RecordedResponse, RecordedStream } from "../../src/core/exchange/exchange.ts";
import type { HeaderList } from "../../src/core/exchange/headers/header-list.ts";
import { isJsonObject, type JsonValue } from "../../src/conformance/judging/json-value.ts";

/** One deliberate defect in a recorded answer. */
export interface SpoiledExchange {
  /** `drop /choices/0/index`, `header x-ratelimit-reset-tokens in ms`, `status 400` ... */
  readonly name: string;
  readonly exchange: Exchange;
}

/** Every generated defect of one record; thousands over all golden records. */
export function spoilExchange(golden: Exchange): readonly SpoiledExchange[] {
  const { response } = golden;
  if (response === null) return [];
  const spoiled = [...spoilHeaders(response), ...spoilStatus(response)];
  if (response.stream !== null) spoiled.push(...spoilStream(response, response.stream));
  else spoiled.push(...spoilBody(response));
  return spoiled.map(([name, changed]) => ({ name, exchange: { ...golden, response: changed } }));
}

type Spoiled = readonly [name: string, response: RecordedResponse];

const judgedHeaders = /^(?:x-ratelimit-|content-type$|retry-after$|www-authenticate$)/;

function* spoilHeaders(response: RecordedResponse): Iterable<Spoiled> {
  const change = (name: string, headers: HeaderList): Spoiled => [`header ${name}`, { ...response, headers }];
  for (const [index, [name, value]] of response.headers.entries()) {
    if (!judgedHeaders.test(name)) continue;
    const put = (text: string): HeaderList => response.headers.map((field, at) => (at === index ? [name, text] : field));
    yield change(
      `${name} dropped`,
      response.headers.filter((_, at) => at !== index),
    );
    yield change(`${name} duplicated`, [...response.headers, [name, value]]);
    yield change(
      `${name} renamed`,
      response.headers.map((field, at) => (at === index ? [`x-${name}`, value] : field)),
    );
    yield change(`${name} empty`, put(""));
    yield change(`${name} garbled`, put("soon"));
    if (/^\d+$/.test(value)) {
      yield change(`${name} in milliseconds`, put(`${value}000`));
      yield change(`${name} with a unit`, put(`${value}s`));
      yield change(`${name} negative`, put(`-${value}`));
      yield change(`${name} with a fraction`, put(`${value}.5`));
    }
    if (name.startsWith("x-ratelimit-reset")) {
      yield change(`${name} as seconds to wait`, put("30"));
      yield change(`${name} in the past`, put(String(Number(value) - 7200)));
    }
  }
}

function* spoilStatus(response: RecordedResponse): Iterable<Spoiled> {
  for (const status of [200, 202, 204, 302, 400, 401, 403, 404, 409, 422, 429, 500, 503]) {
    if (status !== response.status) yield [`status ${status}`, { ...response, status }];
  }
}

function* spoilBody(response: RecordedResponse): Iterable<Spoiled> {
  const text = response.body?.text;
  if (text === undefined || response.body === null) return;
  const withText = (changed: string): RecordedResponse => ({
    ...response,
    body: { bytes: changed.length, sha256: "", text: changed, truncated: false },
  });
  yield ["body html", withText("<!doctype html><title>Bad Gateway</title>")];
  yield ["body cut", withText(text.slice(0, -1))];
  yield ["body empty", withText("")];
  yield ["body byte order mark", withText(`\uFEFF${text}`)];
  yield ["body twice", withText(`${text}${text}`)];
  yield ["body no text", { ...response, body: { bytes: 3, sha256: "", base64: "e/99", truncated: false } }];
  const value = JSON.parse(text) as JsonValue;
  if (isJsonObject(value)) {
    const [first] = Object.keys(value);
    if (first !== undefined)
      yield [`body repeats a member`, withText(`{${JSON.stringify(first)}:0,${text.trimStart().slice(1)}`)];
  }
  for (const [name, changed] of spoilValue(value)) yield [name, withText(JSON.stringify(changed))];
}

/** Every change of one member. The first two items of an array stand for all; long vectors are not spoiled number by number. */
export function* spoilValue(value: JsonValue, path: string = ""): Iterable<readonly [string, JsonValue]> {
  for (const [name, changed] of replacements(value)) yield [`${name} ${path === "" ? "the body" : path}`, changed];
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    for (const [index, item] of items.slice(0, 2).entries()) {
      yield [`drop ${path}/${index}`, items.toSpliced(index, 1)];
      for (const [name, changed] of spoilValue(item, `${path}/${index}`)) yield [name, items.with(index, changed)];
    }
    if (items.length > 0) yield [`repeat ${path}/0`, [items[0]!, ...items]];
  } else if (isJsonObject(value)) {
    for (const [member, inner] of Object.entries(value)) {
      yield [`drop ${path}/${member}`, Object.fromEntries(Object.entries(value).filter(([name]) => name !== member))];
      for (const [name, changed] of spoilValue(inner, `${path}/${member}`)) yield [name, { ...value, [member]: changed }];
    }
  }
}

function* replacements(value: JsonValue): Iterable<readonly [string, JsonValue]> {
  if (value !== null) yield ["null", null];
  if (typeof value === "string") {
    yield ["number", 7];
    yield ["empty", ""];
    yield ["other text", "zz-changed"];
    yield ["list", [value]];
  } else if (typeof value === "number") {
    yield ["text", String(value)];
    yield ["fraction", value + 0.5];
    yield ["negative", -1 - Math.abs(value)];
    yield ["thousandfold", value * 1000 + 1000];
  } else if (Array.isArray(value)) {
    yield ["object", { items: value }];
    yield ["emptied", []];
    yield ["text", "zz"];
  } else if (isJsonObject(value)) {
    yield ["list", [value]];
    yield ["text", "zz"];
    yield ["emptied", {}];
  }
}

function* spoilStream(response: RecordedResponse, stream: RecordedStream): Iterable<Spoiled> {
  const withStream = (name: string, changed: Partial<RecordedStream>): Spoiled => [
    `stream ${name}`,
    { ...response, stream: { ...stream, ...changed } },
  ];
  const { events } = stream;
  yield withStream("ends inside an event", { pendingAtEnd: true, events: events.slice(0, -1) });
  yield withStream("is not UTF-8", { validUtf8: false });
  yield withStream("has no events", { events: [] });
  yield withStream("has events without data", { events: events.map((event) => ({ ...event, data: "" })) });
  yield withStream("is JSON lines", { events: [], comments: 0 });
  yield withStream("has no terminator", { events: events.filter((event) => event.data !== "[DONE]") });
  yield withStream("has two terminators", { events: [...events, ...events.slice(-1)] });
  yield withStream("goes on after the terminator", { events: [...events, ...events.slice(0, 1)] });
  yield withStream("has a payload that is no JSON", { events: [{ ...events[0]!, data: "hello" }, ...events.slice(1)] });
  yield withStream("has no finish", {
    events: events.map((event) => ({ ...event, data: event.data.replace(/"finish_reason":"\w+"/, '"finish_reason":null') })),
  });
  yield withStream("has an empty finish", {
    events: events.map((event) => ({ ...event, data: event.data.replace('"finish_reason":null', '"finish_reason":""') })),
  });
  yield withStream("has chunks without finish", {
    events: events.map((event) => ({ ...event, data: event.data.replace(/,?"finish_reason":null/, "") })),
  });
  yield withStream("changes its id", {
    events: events.map((event, at) => ({
      ...event,
      data: at === 1 ? event.data.replace(/"id":"[^"]*"/, '"id":"other"') : event.data,
    })),
  });
  yield withStream("has another object", {
    events: events.map((event) => ({ ...event, data: event.data.replace("chat.completion.chunk", "chat.completion") })),
  });
  yield withStream("has messages for deltas", {
    events: events.map((event) => ({ ...event, data: event.data.replace('"delta"', '"message"') })),
  });
  yield withStream("names no role", {
    events: events.map((event) => ({ ...event, data: event.data.replace('"role":"assistant"', '"role":"bot"') })),
  });
  yield [`stream as a body`, { ...response, stream: null, body: { bytes: 5, sha256: "", text: "hello", truncated: false } }];
}
