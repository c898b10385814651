import type { ServerResponse } from "node:http";
import type { AccountBook, Reading } from "../account-book.ts";
import { floorTo } from "../contents.ts";
import { askedOf, bagOf, listOf, type OpenBag, type Twist } from "../twist.ts";
import { burstRule } from "./burst-rule.ts";

/** An event stream as another author would write it: a mark at the start, CR as line end, comments, words that are no JSON. */
function writeOddly(response: ServerResponse): void {
  const [write, end] = [response.write.bind(response), response.end.bind(response)];
  let events = 0;
  const oddly = (text: unknown): void => {
    const word = /"w":"([^"]*)"/.exec(String(text))?.[1] ?? "that is all";
    const mark = events === 0 ? "\u{FEFF}: begins\r\rretry: 500\r" : "";
    events += 1;
    const bytes = Buffer.from(`${mark}:\rid: ${events}\rdata: ${word}\rdata\r\r`);
    for (let at = 0; at < bytes.length; at += 3) write(bytes.subarray(at, at + 3));
  };
  response.write = (text: unknown): boolean => {
    oddly(text);
    return true;
  };
  response.end = (text?: unknown): ServerResponse => {
    if (events > 0) oddly(text);
    else if (text !== undefined) return end(text);
    return end();
  };
}

/** Bodies come late, in two pieces and without their length; then the connection is closed. */
function writeSlowly(response: ServerResponse): void {
  const [writeHead, write, end] = [response.writeHead.bind(response), response.write.bind(response), response.end.bind(response)];
  response.writeHead = (status: number, fields: unknown): ServerResponse => {
    const { "Content-Length": _length, ...rest } = bagOf(fields) as Record<string, string>;
    return writeHead(status, { ...rest, Connection: "close" });
  };
  response.end = (body?: unknown): ServerResponse => {
    const bytes = Buffer.from(body instanceof Buffer || typeof body === "string" ? body : "");
    const half = bytes.length >> 1;
    setTimeout(() => {
      if (half > 0) write(bytes.subarray(0, half));
      setTimeout(() => end(bytes.subarray(half)), 150);
    }, 250);
    return response;
  };
}

/** Of the last 60 seconds; the reset is the instant at which all of it lies back. */
function slidingCount(book: AccountBook): void {
  const count = book.count.bind(book);
  const times = new Map<string, number[]>();
  book.count = (name, endpoint, uses): Reading => {
    const reading = count(name, endpoint, uses);
    const nowMs = book.nowMs();
    const key = `${name} ${endpoint}`;
    const mine = (times.get(key) ?? []).filter((atMs) => atMs > nowMs - 60_000);
    times.set(key, mine);
    if (uses > 0) mine.push(nowMs);
    if (uses < 0) mine.pop();
    return { ...reading, left: reading.limit - mine.length, resetMs: (mine.at(-1) ?? nowMs) + 60_000 };
  };
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return listOf(value).map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, inner]): [string, unknown] => [name, reversed(inner)]);
  return Object.fromEntries([["x_note", null], ...members.toReversed(), ["x_more", { of: [1, "two"] }]]);
}

function allBuckets(body: OpenBag, query: URLSearchParams): OpenBag {
  const step = query.get("granularity") ?? "day";
  const [fromMs = Number.NaN, toMs = Number.NaN] = ["from", "to"].map((name) => Date.parse(query.get(name) ?? ""));
  const known = new Map(listOf(body["data"]).map((item) => [Date.parse(String(bagOf(item)["timestamp"])), item]));
  const data: unknown[] = [];
  const none = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost_usd: 0 };
  for (let startMs = floorTo(fromMs, step); startMs < toMs && data.length < 5000;) {
    // A bucket that the window cuts is labelled with the start of the window, as elsewhere in this service.
    const labelMs = Math.max(startMs, fromMs);
    const timestamp = new Date(labelMs).toISOString().replace(/\.\d+Z$/, "+00:00");
    data.push(known.get(Date.parse(timestamp)) ?? { timestamp, ...none });
    const next = new Date(startMs);
    if (step === "month") next.setUTCMonth(next.getUTCMonth() + 1);
    else next.setTime(startMs + (step === "hour" ? 3_600_000 : 86_400_000));
    startMs = next.getTime();
  }
  return data.length < 5000 ? { ...body, data } : body;
}

/** Other readings, and behaviours that are unusual and permitted. */
export const lawfulTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind1/lawful-stream-odd-form",
    says: "streams begin with a byte order mark, end lines by CR, hold comments, id and retry, and words that are no JSON, in pieces of 3 bytes",
    lines: "189, 190",
    make: () => ({
      work({ endpoint, response, body }) {
        if (endpoint === "chat" && askedOf({ body })?.["stream"] === true) writeOddly(response);
      },
    }),
  },
  {
    id: "blind1/lawful-sliding-window",
    says: "the window slides: requests come back one by one, and the reset is 60 seconds after the last request",
    lines: "215, 219-221",
    make: () => ({ open: slidingCount }),
  },
  {
    id: "blind1/lawful-cap-sticks",
    says: "a key that reached its own cap stays refused until the cycle ends, also when the cap is raised",
    lines: "230",
    make: () => ({
      open(book) {
        const capOf = book.capOf.bind(book);
        const reached = new Set<string>();
        book.capOf = (name) => {
          const cap = reached.has(name) ? "monthly_spend" : capOf(name);
          if (cap === "monthly_spend") reached.add(name);
          return cap;
        };
      },
    }),
  },
  {
    id: "blind1/lawful-code-number",
    says: "error.code is a number",
    lines: "195",
    make: () => {
      const numbers = new Map<string, number>();
      return {
        answer(_call, answer) {
          const body = bagOf(answer.value);
          const error = bagOf(body["error"]);
          if (typeof error["code"] !== "string") return;
          const code = numbers.get(error["code"]) ?? 4001 + numbers.size;
          numbers.set(error["code"], code);
          answer.value = { ...body, error: { ...error, code } };
        },
      };
    },
  },
  {
    id: "blind1/lawful-more-and-reversed",
    says: "members stand in the reverse order, every object has two more, and JSON is written over several lines",
    lines: "19-88",
    make: () => ({
      answer(_call, answer) {
        if (answer.value === undefined || answer.value instanceof Buffer) return;
        answer.value = Buffer.from(`${JSON.stringify(reversed(answer.value), null, 2)}\n`);
      },
    }),
  },
  {
    id: "blind1/lawful-cooldown-at-once",
    says: "the cooldown begins with the last request of the allowance and not with the first one too many",
    lines: "236",
    make: () => ({
      open(book) {
        burstRule(book, { atOnce: true });
      },
    }),
  },
  {
    id: "blind1/lawful-slow-chunked",
    says: "answers come 400 ms later, in two pieces without Content-Length, and close the connection",
    lines: "7, 95",
    make: () => ({
      arrive({ response }) {
        writeSlowly(response);
      },
    }),
  },
  {
    id: "blind1/lawful-vectors-any-order",
    says: "the items of a batch stand in the reverse order and state their index",
    lines: "48",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "vectors" || answer.status !== 200) return;
        answer.value = { ...bagOf(answer.value), data: listOf(bagOf(answer.value)["data"]).toReversed() };
      },
    }),
  },
  {
    id: "blind1/lawful-details-as-sentences",
    says: "each entry of error.details is a sentence with the field and its expected format",
    lines: "195",
    make: () => ({
      answer(_call, answer) {
        const body = bagOf(answer.value);
        const error = bagOf(body["error"]);
        if (!Array.isArray(error["details"])) return;
        const details = listOf(error["details"]).map(
          (one) => `${String(bagOf(one)["at"])} must be ${String(bagOf(one)["want"])}`,
        );
        answer.value = { ...body, error: { ...error, details } };
      },
    }),
  },
  {
    id: "blind1/lawful-usage-all-buckets",
    says: "buckets without use are listed, too, oldest first",
    lines: "77",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "usage" || answer.status !== 200) return;
        answer.value = allBuckets(bagOf(answer.value), call.url.searchParams);
      },
    }),
  },
  {
    id: "blind1/lawful-tool-calls",
    says: "where tools are given, the answer calls one: empty content, a finish_reason of its own, another member in the message",
    lines: "38, 41, 106",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "chat" || answer.status !== 200 || listOf(askedOf(call)?.["tools"]).length === 0) return;
        const body = bagOf(answer.value);
        const tool = { id: "call-1", type: "function", function: { name: "look_up", arguments: "{}" } };
        const message = { role: "assistant", content: "", tool_calls: [tool] };
        answer.value = { ...body, choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
      },
    }),
  },
  {
    id: "blind1/lawful-retry-after-date",
    says: "a 429 states its wait in the body and as a date in Retry-After",
    lines: "209, 226",
    make: () => ({
      answer(_call, answer, { book }) {
        const wait = bagOf(answer.value)["retry-after"];
        if (answer.status !== 429 || typeof wait !== "number") return;
        const atMs = Math.ceil(book.nowMs() / 1000) * 1000 + wait * 1000;
        answer.heads = { ...answer.heads, "Retry-After": new Date(atMs).toUTCString() };
      },
    }),
  },
];
