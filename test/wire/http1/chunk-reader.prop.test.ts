import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChunkReader } from "../../../src/wire/http1/chunk-reader.ts";
import { TransportError } from "../../../src/wire/http/transport-error.ts";
import { runsOf } from "../../make/runner/sample.ts";

interface Reading {
  readonly body: string;
  /** Place after the end, null where the body goes on. */
  readonly end: number | null;
  readonly failure: string | null;
}

/** Reads one body in pieces of these sizes, again and again. */
function read(text: string, sizes: readonly number[] = [1_000_000], reader?: ChunkReader): Reading {
  const bytes = Buffer.from(text, "latin1");
  const body: string[] = [];
  const chunks = reader ?? new ChunkReader((piece) => body.push(piece.toString("latin1")));
  chunks.begin();
  try {
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const to = Math.min(bytes.length, at + (sizes[turn % sizes.length] ?? 1));
      const end = chunks.read(bytes, at, to);
      if (end !== -1) return { body: body.join(""), end, failure: null };
      at = to;
    }
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return { body: body.join(""), end: null, failure: `${error.kind}: ${error.message}` };
  }
  return { body: body.join(""), end: null, failure: null };
}

const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });
const broken = "invalid-http: the chunked coding of the response is malformed: ";

describe("the chunked coding", () => {
  it("gives the body that went in, however it is chunked and cut", () => {
    const chunk = fc.record({
      text: fc.string({ unit: fc.constantFrom("a", "b", "\r", "\n", "0", ";", ":", " ", "\u00ff"), minLength: 1, maxLength: 40 }),
      extension: fc.constantFrom("", ";a", ";a=b", ' ; a = "b c"', ";;", "\t;\u00fc"),
      upper: fc.boolean(),
      zeros: fc.constantFrom("", "0", "00000000000000000000"),
    });
    const trailer = fc.constantFrom("", "x: y\r\n", "a:\r\nb: \u00ff\tz\r\n");
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 12 }), trailer, fc.constantFrom("0", "000"), sizes, (chunks, last, zero, cut) => {
        const coded = chunks.map(({ text, extension, upper, zeros }) => {
          const digits = text.length.toString(16);
          return `${zeros}${upper ? digits.toUpperCase() : digits}${extension}\r\n${text}\r\n`;
        });
        const sent = `${coded.join("")}${zero}\r\n${last}\r\n`;
        const expected = { body: chunks.map(({ text }) => text).join(""), end: sent.length, failure: null };
        expect(read(sent)).toEqual(expected);
        expect(read(`${sent}more`, cut)).toEqual(expected);
        expect(read(sent.slice(0, -1), cut)).toMatchObject({ end: null, failure: null });
      }),
      { numRuns: runsOf(1000) },
    );
  });

  it("is read or refused the same however any bytes are cut, and reads the next body afresh", () => {
    const parts = fc.array(
      fc.constantFrom(
        "0",
        "5",
        "a",
        "F",
        "g",
        "\r\n",
        "\r",
        "\n",
        ";",
        " ",
        "\t",
        "=",
        '"',
        "x",
        ":",
        "hello",
        "\0",
        "\u007f",
        "\u00ff",
        "5\r\nhello\r\n",
        "0\r\n",
        "-",
        "+",
      ),
      { maxLength: 24 },
    );
    fc.assert(
      fc.property(parts, sizes, (list, cut) => {
        const text = list.join("");
        const one = read(text);
        expect(read(text, cut)).toEqual(one);
        expect(read(text, [1])).toEqual(one);
        const body: string[] = [];
        const reader = new ChunkReader((piece) => body.push(piece.toString("latin1")));
        read(text, cut, reader);
        body.length = 0;
        expect(read("2\r\nok\r\n0\r\n\r\n", cut, reader).end).toBe(12);
        expect(body.join("")).toBe("ok");
      }),
      { numRuns: runsOf(3000) },
    );
  });

  it.each([
    ["", "x", "a chunk size is missing"],
    ["no size", "\r\n", "a chunk size is missing"],
    ["no size of a later chunk", "2\r\nok\r\n\r\n\r\n", "a chunk size is missing"],
    ["a size below zero", "-1\r\n", "a chunk size is missing"],
    ["blanks behind the size", "2 \r\nok\r\n", "a chunk size is missing"],
    ["something behind the size", "2 ok\r\n", "a chunk size is missing"],
    ["a bare line feed behind the size", "2\nok\r\n", "a chunk size is missing"],
    ["a bare return behind the size", "2\rok\r\n", "no CRLF after the size of a chunk"],
    ["a bare line feed in an extension", "2;a\nok\r\n", "characters in a chunk extension that HTTP does not allow"],
    ["a size beyond all", "ffffffffffffffff\r\n", "a chunk larger than any could be"],
    ["more data than reported", "2\r\nokay\r\n", "no CRLF after a chunk"],
    ["a bare line feed behind the data", "2\r\nok\n", "no CRLF after a chunk"],
    ["a trailer that is none", "0\r\nnonsense\r\n\r\n", "a line after the last chunk that is no trailer field"],
    ["a trailer with a blank in its name", "0\r\na b: c\r\n\r\n", "a line after the last chunk that is no trailer field"],
    ["a trailer with a bare line feed", "0\r\na: c\n\r\n", "characters in a trailer field that HTTP does not allow"],
    ["a body behind the last chunk", "0\r\n\rx", "no CRLF at its end"],
  ])("is refused with %s", (_what, text, message) => {
    expect(read(text).failure).toBe(`${broken}${message}`);
    expect(read(text, [1]).failure).toBe(`${broken}${message}`);
  });

  it("is bounded: extensions and trailers that never end are given up", () => {
    const piece = "y".repeat(1000);
    const endless = (start: string): number => {
      const reader = new ChunkReader(() => {});
      reader.begin();
      reader.read(Buffer.from(start), 0, start.length);
      let bytes = 0;
      expect(() => {
        for (; bytes < 1_000_000; bytes += piece.length) reader.read(Buffer.from(piece), 0, piece.length);
      }).toThrow("a line of it is too long");
      return bytes;
    };
    expect(endless("2;")).toBeLessThan(20_000);
    expect(endless("0\r\nx: ")).toBeLessThan(70_000);
    const many = `0\r\n${"x: y\r\n".repeat(20_000)}\r\n`;
    expect(read(many).failure).toContain("a line of it is too long");
  });
});
