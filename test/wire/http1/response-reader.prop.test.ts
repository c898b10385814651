import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { damagedScript, lawfulAnswer } from "./generated-response.ts";
import { type Reading, readInPieces } from "./read-in-pieces.ts";
import { runsOf } from "../../make/runner/sample.ts";

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 3000 })), {
  minLength: 1,
  maxLength: 5,
});
const whole = (bytes: Buffer): Reading => readInPieces(bytes, [Math.max(1, bytes.length)]);
const head = (...lines: readonly string[]): string => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
const read = (text: string, ...pieces: readonly number[]): Reading => {
  const bytes = Buffer.from(text, "latin1");
  return pieces.length === 0 ? whole(bytes) : readInPieces(bytes, pieces);
};

describe("a response", () => {
  it("is the same however its bytes are cut, lawful or damaged", () => {
    const bytes = fc.oneof(
      lawfulAnswer,
      damagedScript.map(({ pieces }) => Buffer.concat(pieces)),
      fc.uint8Array().map((any) => Buffer.from(any)),
    );
    fc.assert(
      fc.property(bytes, sizes, (sent, cut) => {
        const one = { ...whole(sent), message: "" };
        // Large ones in larger pieces: byte by byte they would take all the time there is.
        const coarse = cut.map((size) => size * Math.ceil(sent.length / 3000));
        expect({ ...readInPieces(sent, coarse), message: "" }).toEqual(one);
        if (sent.length < 2000) expect({ ...readInPieces(sent, [1]), message: "" }).toEqual(one);
      }),
      { numRuns: runsOf(1500), interruptAfterTimeLimit: 10_000 },
    );
  });

  it("is never held for complete before its last byte, nor otherwise for broken", () => {
    fc.assert(
      fc.property(lawfulAnswer, fc.nat(1000), (sent, thousandth) => {
        const all = whole(sent);
        expect(all.failure).toBeNull();
        expect(all.status).not.toBeNull();
        expect(all.untilClose ? null : sent.length).toBe(all.end);
        const part = sent.subarray(0, Math.floor((sent.length * thousandth) / 1001));
        expect(whole(part)).toMatchObject({ failure: null, end: null });
      }),
      { numRuns: runsOf(1500), interruptAfterTimeLimit: 10_000 },
    );
  });

  it("that is anything at all is read or refused", () => {
    const hostile = fc.array(
      fc.constantFrom(
        "HTTP/1.1 200 OK",
        "HTTP/1.1 103 ",
        "\r\n",
        "\n",
        "\r",
        ": ",
        ":",
        " ",
        "\t",
        "x",
        "\0",
        "\u00ff",
        "content-length",
        "5",
        "0",
        "transfer-encoding",
        "chunked",
        ",",
        ";",
        "=",
        '"',
        "ffffffffffff",
        "\r\n\r\n",
        "data: x\n\n",
        "connection",
        "close",
        "keep-alive",
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(hostile, sizes, (parts, cut) => {
        const sent = Buffer.from(parts.join(""), "latin1");
        expect(["invalid-http", null]).toContain(readInPieces(sent, cut).failure);
      }),
      { numRuns: runsOf(3000), interruptAfterTimeLimit: 10_000 },
    );
  });
});

describe("the end of a body", () => {
  it.each([
    ["its length", head("content-length: 2"), 2],
    ["a length with zeros in front", head("content-length: 000000000000000000000002"), 2],
    ["the close beside a list of no codings", head("transfer-encoding:"), null],
    ["nothing but the close", head(), null],
    ["a coding that is not chunked", head("transfer-encoding: chunked, gzip"), null],
    ["chunks that are not stated as the last coding", head("transfer-encoding: gzip chunked"), null],
  ])("is reported by %s", (_how, text, length) => {
    expect(read(`${text}okay`)).toMatchObject({
      failure: null,
      end: length === null ? null : text.length + length,
      untilClose: length === null,
    });
  });

  it.each([
    [head("content-length: 2", "content-length: 2")],
    [head("content-length: 2, 2")],
    [head("content-length: +2")],
    [head("content-length: 0x2")],
    [head("content-length: 2 2")],
    [head("content-length:")],
    [head("content-length: 99999999999999999999")],
    [head("content-length: 2", "transfer-encoding: chunked")],
    [head("transfer-encoding: gzip", "content-length: 2")],
    [head("transfer-encoding:", "content-length: 2")],
  ])("must not be in doubt: %j", (text) => {
    for (const cut of [[], [1], [7]]) expect(read(text, ...cut).failure).toBe("invalid-http");
  });

  it("is marked by chunks where they are the last coding, whatever empty elements stand beside", () => {
    const chunks = "2\r\nok\r\n0\r\n\r\n";
    for (const lines of [
      ["chunked", ""],
      ["", "chunked"],
      ["gzip", "Chunked \t"],
      ["gzip,chunked"],
      [", chunked"],
      ["chunked, chunked"],
    ]) {
      const text = `${head(...lines.map((line) => `Transfer-Encoding: ${line}`))}${chunks}`;
      expect(read(text)).toMatchObject({ failure: null, end: text.length, body: "ok" });
    }
  });

  it("comes right after the head of 204, 304 and answers to HEAD, whatever they tell", () => {
    for (const status of [204, 304]) {
      const text = `HTTP/1.1 ${status} x\r\ncontent-length: 7\r\n\r\n`;
      expect(read(text)).toMatchObject({ status, end: text.length, keepAlive: true });
    }
    const text = head("transfer-encoding: chunked");
    expect(readInPieces(Buffer.from(text), [9], "HEAD")).toMatchObject({ end: text.length });
  });
});

describe("a connection", () => {
  const kept = (version: string, ...lines: readonly string[]): boolean | null =>
    read(`HTTP/${version} 200 OK\r\ncontent-length: 0\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`).keepAlive;

  it("is read whatever of the versions the server reports, also in pieces", () => {
    for (const version of ["0.9", "1.0", "1.1", "2.0"]) {
      const text = `HTTP/${version} 201 x\r\ncontent-length: 0\r\n\r\n`;
      for (let cut = 1; cut < 20; cut += 1) expect(read(text, cut, 100)).toMatchObject({ status: 201, end: text.length });
    }
  });

  it("is kept as its version and its options say, and close counts before all others", () => {
    expect([kept("1.1"), kept("1.0"), kept("2.0"), kept("1.0", "Connection: Keep-Alive")]).toEqual([true, false, false, true]);
    for (const lines of [
      ["connection: close"],
      ["Connection: close", "Connection: keep-alive"],
      ["connection: keep-alive,\tClose \t"],
    ]) {
      expect([kept("1.1", ...lines), kept("1.0", ...lines)]).toEqual([false, false]);
    }
    expect(kept("1.1", "connection: x-closer, disclose")).toBe(true);
    // To text that is a blank, to HTTP it is an octet of a name that is none.
    expect([kept("1.1", "connection: \u00a0close"), kept("1.0", "connection: keep-alive\u00a0")]).toEqual([true, false]);
  });
});

describe("a head", () => {
  it.each([
    ["BANANA", "the answer is not HTTP"],
    ["HTTQ", "the answer is not HTTP"],
    ["HTTP/1.1 OK", "the status line of the response is malformed"],
    ["HTTP/1.2 ", "the status line of the response is malformed"],
    ["HTTP/1.1 200 OK\r\nx y", "a header field of the response is malformed"],
    ["HTTP/1.1 200 OK\r\nx: y\r\n z", "a header field of the response is malformed"],
    ["HTTP/1.1 200 OK\r\nx: \0", "the header field x of the response has characters that HTTP does not allow"],
    ["HTTP/1.1 200 OK\nx: y", "a line of the response head does not end in CRLF"],
    ["HTTP/1.1 099 OK\r\n", "the status line of the response is malformed"],
  ])("that begins with %j is refused at once, before its end has come", (text, message) => {
    for (const cut of [[], [1], [5]]) expect(read(text, ...cut)).toMatchObject({ failure: "invalid-http", message });
  });

  it("of one line of blanks, which a careless pattern reads for hours, is refused in no time", () => {
    const startedMs = performance.now();
    const line = `HTTP/1.1 200 OK\r\nx:${" ".repeat(60_000)}\0${" ".repeat(3000)}\r\n\r\n`;
    expect(read(line).failure).toBe("invalid-http");
    expect(read(line, 1000).failure).toBe("invalid-http");
    expect(read(`HTTP/1.1 200 OK\r\nconnection: ${"close ".repeat(9000)}\r\n\r\n`).failure).toBeNull();
    expect(read(`HTTP/1.1 200 OK\r\nkeep-alive: ${"timeout ".repeat(7000)}\r\n\r\n`).failure).toBeNull();
    // Milliseconds, against hours: far from both, on any machine.
    expect(performance.now() - startedMs).toBeLessThan(60_000);
  });

  it("is bounded at 64 KiB, also byte by byte and in fields without number", () => {
    const endless = `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(20_000)}`;
    const oneLine = `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}`;
    const message = "the response head is larger than 64 KiB";
    for (const text of [endless, oneLine]) {
      for (const cut of [[], [65_536], [1400], [1]])
        expect(read(text, ...cut)).toMatchObject({ failure: "invalid-http", message });
    }
    const large = `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(10_000)}content-length: 0\r\n\r\n`;
    expect(read(large, 1000).end).toBe(large.length);
  });
});
