import { createParser } from "eventsource-parser";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventStream } from "../../../src/wire/capture/event-stream.ts";
import { Utf8Decoder } from "../../../src/wire/capture/utf8-decoder.ts";
import { runsOf } from "../../make/runner/sample.ts";
import { anyCodePoints } from "../../make/hostile/any-code-points.ts";

const unbounded = { events: Infinity, eventLength: Infinity, take: () => true, recordBytes: () => 0 };

interface Parsed {
  readonly events: readonly { readonly event: string; readonly data: string; readonly id: string | undefined }[];
  readonly comments: number;
  readonly pending: boolean;
  readonly validUtf8: boolean;
  readonly reads: readonly number[];
}

/** Feeds the bytes in pieces of the given sizes (repeated) and reads the result. */
function parse(bytes: Buffer, sizes: readonly number[]): Parsed {
  const stream = new EventStream(unbounded);
  let at = 0;
  for (let read = 0; at < bytes.length; read += 1) {
    const size = sizes[read % sizes.length] ?? 1;
    stream.write(bytes.subarray(at, at + size), { read, atMs: read, earliestMs: read, latestMs: read });
    at += size;
  }
  const pending = stream.end();
  const events = stream.list((text) => text);
  return {
    events: events.map(({ event, data, id }) => ({ event, data, id })),
    comments: stream.comments,
    pending,
    validUtf8: stream.validUtf8,
    reads: events.map(({ read }) => read),
  };
}

/** The interpretation of the standard, written down line by line (WHATWG HTML 9.2.6), for what a whole text dispatches. */
function interpret(text: string): Pick<Parsed, "events" | "comments"> {
  const events: { event: string; data: string; id: string | undefined }[] = [];
  let comments = 0;
  let data: string[] = [];
  let event = "";
  let id: string | undefined;
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  // Text after the last line end is no line.
  for (const line of lines.slice(0, -1)) {
    if (line === "") {
      if (data.length > 0) events.push({ event: event === "" ? "message" : event, data: data.join("\n"), id });
      [data, event, id] = [[], "", undefined];
      continue;
    }
    const colon = line.indexOf(":");
    if (colon === 0) comments += 1;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
    else if (field === "id" && !value.includes("\0")) id = value;
  }
  return { events, comments };
}

const line = fc.oneof(
  fc.constantFrom(
    "data: {}",
    "data:x",
    "data: [DONE]",
    "data",
    "data: a b ",
    "event: done",
    "event:",
    "id: 7",
    ": ping",
    ":",
    "retry: 10",
    "foo: bar",
    "",
  ),
  fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, "")}`),
);
const lineEnd = fc.constantFrom("\n", "\r\n", "\r", "\n\n", "\r\r", "\r\n\r\n");
const streamText = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(line, lineEnd), { maxLength: 20 }), fc.oneof(fc.constant(""), line))
  .map(([mark, pieces, rest]) => `${mark ? "\uFEFF" : ""}${pieces.map(([text, end]) => text + end).join("")}${rest}`);

describe("an event stream", () => {
  it("dispatches what the standard says, however the bytes are cut", () => {
    fc.assert(
      fc.property(streamText, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }), (text, sizes) => {
        const bytes = Buffer.from(text);
        const whole = parse(bytes, [Math.max(1, bytes.length)]);
        const cut = parse(bytes, sizes);
        expect({ ...cut, reads: [] }).toEqual({ ...whole, reads: [] });
        const { events, comments } = interpret(text);
        expect(whole.events).toEqual(events);
        expect(whole.comments).toBe(comments);
        expect(whole.validUtf8).toBe(true);
      }),
      { numRuns: runsOf(500) },
    );
  });

  it("agrees with one feed of eventsource-parser when fed byte by byte", () => {
    fc.assert(
      fc.property(streamText, (text) => {
        const expected: unknown[] = [];
        const parser = createParser({ onEvent: ({ event, data, id }) => expected.push({ event: event ?? "message", data, id }) });
        const body = text.replace(/^\uFEFF/, "");
        parser.feed(body.endsWith("\r") ? `${body}\n` : body);
        expect(parse(Buffer.from(text), [1]).events).toEqual(expected);
      }),
      { numRuns: runsOf(300) },
    );
  });

  it("stamps an event with the read that completed it, also where a carriage return ends the line", () => {
    for (const end of ["\n", "\r", "\r\n"]) {
      const stream = new EventStream(unbounded);
      const feed = (text: string, read: number): void =>
        stream.write(Buffer.from(text), { read, atMs: read * 10, earliestMs: read * 10 - 1, latestMs: read * 10 });
      feed(`data: one${end}`, 0);
      feed(end, 1);
      feed(`data: two${end}${end}`, 2);
      stream.end();
      expect(stream.list((text) => text).map(({ data, read, atMs }) => [data, read, atMs])).toEqual([
        ["one", 1, 10],
        ["two", 2, 20],
      ]);
    }
  });

  it("reports a block that was pending at the end", () => {
    const pending = (text: string): boolean => parse(Buffer.from(text), [4]).pending;
    expect(["", "data: x\n\n", ": ping\n", ": ping", "data: x\n\n: bye\n", "data: x\r\r"].map(pending)).toEqual(
      Array(6).fill(false),
    );
    expect(
      ["data: x", "data: x\n", "data: x\n\nevent: done\n", "data: x\n\nid: 3", "dat", "data: x\n\ndata: [DONE]\n"].map(pending),
    ).toEqual(Array(6).fill(true));
  });

  it("reads a line of two megabytes in small pieces in linear time", () => {
    const text = `data: ${"x".repeat(2_000_000)}\n\n`;
    // Processor time: it does not count while others run.
    const before = process.cpuUsage();
    const { events, reads } = parse(Buffer.from(text), [1400]);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2000);
    expect(events[0]?.data.length).toBe(2_000_000);
    expect(reads).toEqual([Math.ceil(text.length / 1400) - 1]);
  });
});

describe("the decoder", () => {
  it("decodes as the Encoding standard does and knows whether all bytes were valid, however they are cut", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      anyCodePoints({ maxLength: 20 }).map((text) => new Uint8Array(Buffer.from(text))),
      fc
        .array(fc.constantFrom(0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xef, 0xbf, 0xbd, 0x61, 0xed, 0xa0, 0xf5, 0xc0), {
          maxLength: 12,
        })
        .map((list) => Uint8Array.from(list)),
    );
    fc.assert(
      fc.property(bytes, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }), (input, sizes) => {
        const decoder = new Utf8Decoder();
        let text = "";
        for (let at = 0, turn = 0; at < input.length; turn += 1) {
          const size = sizes[turn % sizes.length]!;
          text += decoder.write(Buffer.from(input.subarray(at, at + size)));
          at += size;
        }
        text += decoder.end();
        expect(text).toBe(new TextDecoder("utf-8", { ignoreBOM: true }).decode(input));
        let valid = true;
        try {
          new TextDecoder("utf-8", { fatal: true }).decode(input);
        } catch {
          valid = false;
        }
        expect(decoder.valid).toBe(valid);
      }),
      { numRuns: runsOf(2000) },
    );
  });
});
