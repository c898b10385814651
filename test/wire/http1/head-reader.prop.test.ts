import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHeadReader, type HeadReader, type ResponseHead } from "../../../src/wire/http1/head-reader.ts";
import { TransportError } from "../../../src/wire/http/transport-error.ts";
import { lawfulAnswer } from "./generated-response.ts";
import { runsOf } from "../../make/runner/sample.ts";

const secret = "sk_test_Primary0123456789";
const mask = (text: string): string => text.replaceAll(secret, "<key:primary>");

/** The first head of an answer, which may be an interim one, as a head reader takes it. */
const head = lawfulAnswer.map((bytes) => {
  const text = bytes.toString("latin1").replace(/^[\r\n]+/, "");
  return text.slice(0, text.indexOf("\r\n\r\n") + 2);
});

/** The head that is read, or the reason of a refusal. */
function outcome(read: HeadReader, text: string, method: string): ResponseHead | string {
  try {
    return read(text, method);
  } catch (error) {
    if (error instanceof TransportError) return error.message;
    throw error;
  }
}

describe("heads of one answer after another", () => {
  it("are read as each of them alone, whatever was the same before", () => {
    const changed = fc.tuple(head, fc.nat(1000), fc.constantFrom("x", " ", secret, "")).map(([text, thousandth, inserted]) => {
      const lines = text.split("\r\n");
      const at = Math.floor((thousandth * (lines.length - 1)) / 1001);
      if (at > 0) lines[at] += inserted;
      return lines.join("\r\n");
    });
    const series = fc
      .tuple(
        fc.array(fc.oneof(head, changed), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(3), { minLength: 2, maxLength: 12 }),
      )
      .map(([heads, order]) => order.map((place) => heads[place % heads.length] ?? ""));
    fc.assert(
      fc.property(series, fc.constantFrom("GET", "POST", "HEAD"), (heads, method) => {
        const read = createHeadReader(mask);
        for (const text of heads) expect(outcome(read, text, method)).toEqual(outcome(createHeadReader(mask), text, method));
      }),
      { numRuns: runsOf(300) },
    );
  });

  it("share the fields that are equal, also where a length or a coding is announced", () => {
    const read = createHeadReader(mask);
    const text = "HTTP/1.1 200 OK\r\nX-A: 1\r\ncontent-length: 7\r\n";
    const [one, other] = [read(text, "GET"), read(text, "GET")];
    expect(other).toEqual(one);
    expect(other.headers[0]).toBe(one.headers[0]);
    expect(read("HTTP/1.1 200 OK\r\nX-A: 1\r\ntransfer-encoding: chunked\r\n", "GET").body).toBe("chunked");
    expect(read(text, "GET").body).toBe(7);
  });

  it("are masked each time, also beyond the places that are remembered", () => {
    const lines = Array.from({ length: 200 }, (_, place) => `n${place}: ${place % 2 === 0 ? `a ${secret} b` : "plain"}\r\n`);
    const named = `x-${secret}: 1\r\n`;
    const read = createHeadReader(mask);
    for (let turn = 0; turn < 3; turn += 1) {
      const { headers } = read(`HTTP/1.1 200 OK\r\n${lines.join("")}${named}`, "GET");
      expect(headers).toHaveLength(201);
      expect(JSON.stringify(headers)).not.toContain(secret);
      expect(headers.slice(0, 2)).toEqual([
        ["n0", "a <key:primary> b"],
        ["n1", "plain"],
      ]);
      expect(headers[200]).toEqual(["x-<key:primary>", "1"]);
    }
  });

  it("are masked where a field that was harmless before holds a secret, and are not taken for it afterwards", () => {
    const read = createHeadReader(mask);
    const values = ["harmless", "other", secret, "harmless", `Bearer:${secret}`, secret, "harmless"];
    const shown = values.map((value) => read(`HTTP/1.1 200 OK\r\nx-echo: ${value}\r\nx-id: ${value}1\r\n`, "GET").headers);
    expect(shown).toEqual(
      values.map((value) => [
        ["x-echo", mask(value)],
        ["x-id", mask(`${value}1`)],
      ]),
    );
  });

  it("after one that was refused are read as if it had not come", () => {
    const read = createHeadReader(mask);
    const good = "HTTP/1.0 404 x\r\na: b\r\ncontent-length: 3\r\n";
    const first = read(good, "GET");
    for (const bad of ["HTTP/1.1 20 OK\r\n", "HTTP/1.1 200 OK\r\na: b\r\nc\r\n", "HTTP/1.1 200 OK\r\ncontent-length: x\r\n"]) {
      expect(() => read(bad, "GET")).toThrow("of the response");
      expect(read(good, "GET")).toEqual(first);
    }
  });
});
