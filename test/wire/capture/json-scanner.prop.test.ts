import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonScanner } from "../../../src/wire/capture/json-scanner.ts";

function scan(bytes: Buffer, cuts: readonly number[] = []): string | null {
  const scanner = new JsonScanner();
  let from = 0;
  for (const cut of [...cuts, bytes.length].filter((one) => one <= bytes.length).toSorted((one, other) => one - other)) {
    scanner.write(bytes.subarray(from, cut));
    from = cut;
  }
  return scanner.end();
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("a scanner of JSON that is not kept", () => {
  const piece = fc.constantFrom(
    ...Array.from('{}[]:,"\\ \n-+.eE0123456789truefalsn/u'),
    "ä",
    "\u0001",
    "null",
    "true",
    '"a"',
    "1.5e-3",
  );
  const texts = fc.oneof(
    fc.json(),
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
    fc.tuple(fc.json(), piece, fc.nat()).map(([text, extra, place]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + extra + text.slice(at);
    }),
    fc.tuple(fc.json(), fc.nat()).map(([text, place]) => text.slice(0, place % (text.length + 1))),
  );

  it("agrees with a parser on every text, wherever it is cut", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(40), { maxLength: 4 }), (text, cuts) => {
        const bytes = Buffer.from(text);
        // Lone halves of a pair have no bytes of their own.
        expect([text, scan(bytes, cuts) === null]).toEqual([text, parses(bytes.toString("utf8"))]);
      }),
      { numRuns: 1500 },
    );
  });

  it("says what is wrong, and where", () => {
    expect(scan(Buffer.from("x".repeat(100)))).toBe('the body is not JSON: "x" at byte 1');
    expect(scan(Buffer.from('{"a":1'))).toBe("the body is not JSON: it ends inside of a value");
    expect(scan(Buffer.from([0x22, 0xff, 0x22]))).toBe("the body is not UTF-8");
    expect(scan(Buffer.from([0x22, 0xc3]))).toBe("the body is not UTF-8");
    expect(scan(Buffer.from("[".repeat(513)))).toBe("the body is not JSON: nested deeper than 512 levels");
    expect(scan(Buffer.from("\ufeff{}"))).toBe("the body is not JSON: byte 0xef at byte 1");
  });
});
