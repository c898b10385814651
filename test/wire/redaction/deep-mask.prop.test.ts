import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/wire/redaction/redaction.ts";
import { canaryEncodings } from "../../make/hostile/encode-canary.ts";
import { testManifest } from "../../make/test-manifest.ts";

const secret = fc.stringMatching(/^sk_live_[A-Za-z0-9]{20,40}$/).filter((text) => new Set(text.slice(8)).size > 10);

function maskFor(key: string): (text: string) => string {
  const manifest = testManifest("http://127.0.0.1");
  return createRedactor({ ...manifest, keys: { primary: { secret: key, id: null, createdAtMs: null } } }).maskDeep;
}

describe("masking by decoding", () => {
  it.each(Object.keys(canaryEncodings))("leaves no part of eight characters: %s", (name) => {
    fc.assert(
      fc.property(secret, fc.string({ maxLength: 9 }), (key, around) => {
        const encode = canaryEncodings[name]!;
        const masked = maskFor(key)(`{"said": "${around} ${encode(key)} ${around}"}`);
        expect(masked).toMatch(/<(?:almost-)?key:primary/);
        for (let at = 8; at + 8 <= key.length; at += 1) {
          const part = key.slice(at, at + 8);
          // An encoding of each letter shows a part as the encoding of that part.
          expect(masked).not.toContain(part);
          if (!name.startsWith("Base") && !name.includes("halves") && !name.includes("part"))
            expect(masked).not.toContain(encode(part));
        }
      }),
      { numRuns: 20 },
    );
  });

  it("leaves alone what holds no part of a key", () => {
    const mask = maskFor("sk_live_0123456789abcdefghijKLMN");
    const texts = [
      JSON.stringify({ data: Array.from({ length: 3000 }, (_, at) => ({ embedding: [Math.sin(at), Math.cos(at)] })) }),
      Buffer.from(Float32Array.from({ length: 4000 }, (_, at) => Math.sin(at)).buffer).toString("base64"),
      "keys begin with sk_live_ or nim_test_ and the numbers 0123456 and 3456789 mean nothing",
      "https://example.test/a%20b?x=1&amp;y=2 =?utf-8?Q?=E4?= \\n \\u00e4 &#228; U+00E4",
    ];
    for (const text of texts) expect(mask(text)).toBe(text);
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: "grapheme" }), (text) => {
        expect(mask(text)).toBe(text);
      }),
    );
  });

  it("masks no more than what stands for the key", () => {
    const key = "sk_live_Zx81LqT0pWv73NdRf5Ub";
    const mask = maskFor(key);
    expect(mask(`before &#115;${key.slice(1)} after`)).toBe("before <key:primary:encoded> after");
    expect(mask(`"${key.split("").join(" ")}", "kept"`)).toBe('"<almost-key:primary:part>", "kept"');
    expect(mask(`a ${key.slice(8, 18)} b`)).toBe("a <almost-key:primary:part> b");
    expect(mask("sk_live_ is how they begin")).toBe("sk_live_ is how they begin");
  });

  it("takes a bounded time for the worst texts (bench:masking takes a megabyte of each)", () => {
    const mask = maskFor("sk_live_Zx81LqT0pWv73NdRf5Ub");
    const nested = [1, 2, 3].reduce((text) => Buffer.from(text).toString("base64"), "x".repeat(400_000)).slice(0, 1e6);
    const worst = [
      "%25".repeat(350_000),
      "&#38;".repeat(200_000),
      nested,
      "61 ".repeat(333_000),
      "\\u005c".repeat(170_000),
      "sk_l".repeat(250_000),
      "sk_live_".repeat(125_000),
      "\\".repeat(1_000_000),
      "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo".repeat(29_000),
    ];
    for (const text of worst) {
      const before = process.cpuUsage();
      mask(text.slice(0, 200_000));
      // Fifty times the processor time that was measured on an idle machine: it does not count while others run.
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(30_000);
    }
  });
});
