import type { ServerResponse } from "node:http";
import { burstRule } from "../blind-round-1/burst-rule.ts";
import type { AccountBook, Reading } from "../account-book.ts";
import { base64Of, floorTo, pngOf } from "../contents.ts";
import { report } from "../work.ts";
import { askedOf, bagOf, listOf, type Twist } from "../twist.ts";
import { addCompletionTokens } from "./add-completion-tokens.ts";
import { reportInBuckets } from "./report-in-buckets.ts";
import { writeOddly } from "./write-oddly.ts";

const fiveHoursMs = 5 * 3_600_000;

/** Keeps all that is written until the end. */
function writeAtOnce(response: ServerResponse): void {
  const end = response.end.bind(response);
  const kept: Buffer[] = [];
  const keep = (text: unknown): void => {
    if (typeof text === "string" || text instanceof Buffer) kept.push(Buffer.from(text));
  };
  response.write = (text: unknown): boolean => {
    keep(text);
    return true;
  };
  response.end = (text?: unknown): ServerResponse => {
    keep(text);
    return end(Buffer.concat(kept));
  };
}

/** Windows that begin with the minutes of the clock. */
function clockWindows(book: AccountBook): void {
  const count = book.count.bind(book);
  const windows = new Map<string, { minute: number; used: number }>();
  book.count = (name, endpoint, uses): Reading => {
    const reading = count(name, endpoint, uses);
    const minute = Math.floor(book.nowMs() / 60_000);
    const before = windows.get(`${name} ${endpoint}`);
    const used = Math.max(0, (before?.minute === minute ? before.used : 0) + uses);
    windows.set(`${name} ${endpoint}`, { minute, used });
    return { ...reading, left: reading.limit - used, resetMs: (minute + 1) * 60_000 };
  };
}

/** The numbers of a vector in either encoding of this service. */
function numbersOf(embedding: unknown): readonly number[] {
  if (typeof embedding !== "string") return listOf(embedding).map(Number);
  const bytes = Buffer.from(embedding, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

function doublesOf(numbers: readonly number[]): string {
  const bytes = Buffer.alloc(numbers.length * 8);
  for (const [at, value] of numbers.entries()) bytes.writeDoubleBE(value, at * 8);
  return bytes.toString("base64");
}

/** A completion without its last words, where the answer was not cut by max_tokens. */
function withoutWords(value: unknown, dropped: number): unknown {
  const body = bagOf(value);
  const choices = listOf(body["choices"]).map((choice) => {
    const message = bagOf(bagOf(choice)["message"]);
    const content = String(message["content"]).split(" ").slice(0, -dropped).join(" ");
    return { ...bagOf(choice), message: { ...message, content } };
  });
  return { ...body, choices };
}

/** Other readings, and behaviours that are unusual and permitted. */
export const lawfulTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind2/lawful-stream-in-one-piece",
    says: "a stream arrives as a whole when it is complete, because a gateway keeps it back",
    lines: "189, 190",
    make: () => ({
      work({ endpoint, response, body }) {
        if (endpoint === "chat" && askedOf({ body })?.["stream"] === true) writeAtOnce(response);
      },
    }),
  },
  {
    id: "blind2/lawful-read-only-infers",
    says: "a read-only key gets completions, embeddings, images and transcriptions, which write nothing",
    lines: "180, 201",
    make: () => ({
      open(book) {
        const holder = book.holders.get("readOnly");
        if (holder !== undefined) book.holders.set("readOnly", { ...holder, may: new Set(["read", "infer"]) });
      },
    }),
  },
  {
    id: "blind2/lawful-broke-reads-usage",
    says: "an account that cannot pay may read its usage, which is counted as billing",
    lines: "200",
    make: () => ({
      arrive(call, desk) {
        const { book } = desk;
        const organization = book.holders.get(call.holder ?? "")?.organization;
        if (call.endpoint !== "usage" || call.holder === null || !["late", "broke"].includes(organization ?? "")) return;
        call.reading = book.count(call.holder, "usage", 1);
        // The answer of this report stands: the refusal that follows finds that the answer was sent.
        report(desk, call);
        book.count(call.holder, "usage", -1);
      },
    }),
  },
  {
    id: "blind2/lawful-change-ends-cooldown",
    says: "a change of its settings ends the cooldown of a key and gives it the whole allowance again",
    lines: "164, 236",
    make: () => {
      const changes = new Map<string, number>();
      return {
        open(book) {
          burstRule(book, { keyOf: (name) => `${name} ${changes.get(book.holders.get(name)?.id ?? "") ?? 0}` });
        },
        answer(call, { status }) {
          const id = decodeURIComponent(call.url.pathname.split("/").at(-1) ?? "");
          if (call.endpoint === "key" && status === 204) changes.set(id, (changes.get(id) ?? 0) + 1);
        },
      };
    },
  },
  {
    id: "blind2/lawful-usage-days-elsewhere",
    says: "days and months begin at midnight five hours west of UTC, and timestamps state that offset",
    lines: "77, 158",
    make: () => ({
      answer(call, answer, { book }) {
        if (call.endpoint !== "usage" || answer.status !== 200) return;
        answer.value = reportInBuckets(call, book, {
          startOf: (unixMs, step) => floorTo(unixMs - fiveHoursMs, step) + fiveHoursMs,
          labelOf: (startMs) => new Date(startMs - fiveHoursMs).toISOString().replace(/\.\d+Z$/, "-05:00"),
        });
      },
    }),
  },
  {
    id: "blind2/lawful-timestamps-basic",
    says: "timestamps of buckets are in the basic format of ISO 8601: 20261126T000000Z",
    lines: "77",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "usage" || answer.status !== 200) return;
        const body = bagOf(answer.value);
        const data = listOf(body["data"]).map((one) => {
          const iso = new Date(String(bagOf(one)["timestamp"])).toISOString();
          return { ...bagOf(one), timestamp: iso.replace(/\.\d+Z$/, "Z").replaceAll(/[-:]/g, "") };
        });
        answer.value = { ...body, data };
      },
    }),
  },
  {
    id: "blind2/lawful-vectors-noise",
    says: "the vector of one text differs from request to request in the seventh digit",
    lines: "48, 118",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "vectors" || answer.status !== 200) return;
        const body = bagOf(answer.value);
        const data = listOf(body["data"]).map((one) => {
          const { embedding } = bagOf(one);
          const noisy = numbersOf(embedding).map((value) => Math.fround(value * (1 + (Math.random() - 0.5) * 1e-6)));
          return { ...bagOf(one), embedding: typeof embedding === "string" ? base64Of(noisy) : noisy };
        });
        answer.value = { ...body, data };
      },
    }),
  },
  {
    id: "blind2/lawful-base64-doubles",
    says: "base64 holds the numbers with 64 bits each, the most significant byte first",
    lines: "48, 120",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "vectors" || answer.status !== 200) return;
        const body = bagOf(answer.value);
        const data = listOf(body["data"]).map((one) => {
          const { embedding } = bagOf(one);
          return { ...bagOf(one), embedding: typeof embedding === "string" ? doublesOf(numbersOf(embedding)) : embedding };
        });
        answer.value = { ...body, data };
      },
    }),
  },
  {
    id: "blind2/lawful-images-data-address",
    says: "the address of an image is a data: URL that holds the image",
    lines: "57",
    make: () => ({
      answer(call, answer, { sizes }) {
        if (call.endpoint !== "images" || answer.status !== 200) return;
        const body = bagOf(answer.value);
        const data = listOf(body["data"]).map((one) => {
          const size = sizes.get(String(bagOf(one)["url"]).split("/").at(-1) ?? "") ?? "1024x1024";
          const [width = 1, height = 1] = size.split("x").map(Number);
          return { ...bagOf(one), url: `data:image/png;base64,${pngOf(width, height).toString("base64")}` };
        });
        answer.value = { ...body, data };
      },
    }),
  },
  {
    id: "blind2/lawful-ascii-and-fractions",
    says: "JSON is ASCII with escapes, also of slashes, and whole numbers are written with a fraction of zero: 12.0",
    lines: "7, 19-78",
    make: () => ({
      answer(_call, answer) {
        if (answer.value === undefined || answer.value instanceof Buffer) return;
        answer.value = Buffer.from(writeOddly(answer.value), "ascii");
      },
    }),
  },
  {
    id: "blind2/lawful-windows-of-the-clock",
    says: "the windows of all keys begin with the minutes of the clock, so that the first one is shorter",
    lines: "215, 219-221",
    make: () => ({ open: clockWindows }),
  },
  {
    id: "blind2/lawful-chat-varies",
    says: "the same question gets answers of different length, also with temperature 0",
    lines: "99, 107",
    make: () => ({
      answer(call, answer, { book }) {
        if (call.endpoint !== "chat" || answer.status !== 200) return;
        const reason = bagOf(listOf(bagOf(answer.value)["choices"])[0])["finish_reason"];
        const dropped = Math.floor(Math.random() * 4);
        if (reason !== "stop" || dropped === 0) return;
        answer.value = withoutWords(answer.value, dropped);
        addCompletionTokens(book, answer, -dropped);
      },
    }),
  },
];
