import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completeManifest } from "../../../src/config/complete-manifest.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { alteredSecrets } from "../../../src/wire/redaction/credential.ts";
import { createRedactor, createTextFilter } from "../../../src/wire/redaction/redaction.ts";
import { runsOf } from "../../make/runner/sample.ts";

/** The characters of a bearer token (RFC 6750 section 2.1). */
const secret = fc.stringMatching(/^[A-Za-z0-9._~+/-]{16,60}=?$/).filter((text) => new Set(text).size > 8);

function manifestWith(secrets: readonly string[]): Manifest {
  const keys = Object.fromEntries(secrets.map((text, index) => [`k${index}`, { secret: text, id: null, createdAtMs: null }]));
  return { ...completeManifest({ target: { name: "t", baseUrl: "http://127.0.0.1" } }), keys };
}

/** Ways in which services are seen to give back what they were sent. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  hex: (text) => Buffer.from(text).toString("hex"),
  HEX: (text) => Buffer.from(text).toString("hex").toUpperCase(),
  "URL component": (text) => encodeURIComponent(text),
  "every byte as %XX": (text) => Buffer.from(text).toString("hex").toUpperCase().replaceAll(/../g, "%$&"),
  "every byte as %xx": (text) => Buffer.from(text).toString("hex").replaceAll(/../g, "%$&"),
  JSON: (text) => JSON.stringify(text),
  "JSON with solidus": (text) => JSON.stringify(text).replaceAll("/", String.raw`\/`),
  "JSON in JSON": (text) => JSON.stringify(JSON.stringify(text)),
  "every character as \\u00xx": (text) =>
    Buffer.from(text)
      .toString("hex")
      .replaceAll(/../g, String.raw`\u00$&`),
  "URL component in JSON in JSON": (text) => JSON.stringify(JSON.stringify({ url: `?q=${encodeURIComponent(text)}` })),
  "base64 in a URL": (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
};

/** The texts that result from taking the encodings back, layer by layer. */
function readings(text: string): readonly string[] {
  const found = new Set([text]);
  const unescape = (one: string): string =>
    one
      .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replaceAll(/\\u00([0-9a-f]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replaceAll(/\\(.)/g, "$1");
  for (let one = text, depth = 0; depth < 4; depth += 1) found.add((one = unescape(one)));
  for (const one of Array.from(found)) {
    for (const [run] of one.matchAll(/[A-Za-z0-9+/_-]{12,}/g)) {
      for (const skip of [0, 1, 2, 3]) found.add(Buffer.from(run.slice(skip), "base64").toString("latin1"));
      for (const skip of [0, 1]) found.add(Buffer.from(run.slice(skip), "hex").toString("latin1"));
    }
  }
  return [...found];
}

/** Characters of the secret that can be read back in a row. */
function longestLeak(masked: string, text: string): number {
  const seen = readings(masked);
  let longest = 0;
  for (let from = 0; from < text.length; from += 1) {
    while (from + longest < text.length && seen.some((one) => one.includes(text.slice(from, from + longest + 1)))) longest += 1;
  }
  return longest;
}

describe("redaction of encoded secrets", () => {
  it.each(Object.keys(encodings))("leaves nothing to read back: %s", (name) => {
    fc.assert(
      fc.property(secret, fc.nat(5), fc.string({ maxLength: 7 }), fc.string({ maxLength: 7 }), (text, which, before, after) => {
        const { mask } = createRedactor(manifestWith([text]));
        const sent = [text, ...alteredSecrets(text).map(([, altered]) => altered)];
        const encoded = encodings[name]!(`${before}${sent[which % sent.length]!}${after}`);
        const masked = mask(`{"you sent": ${encoded} }`);
        expect(masked).not.toBe(`{"you sent": ${encoded} }`);
        // Base64 leaves the bits of a character that it mixes with a neighbour.
        expect(longestLeak(masked, sent[which % sent.length]!)).toBeLessThan(6);
      }),
      { numRuns: runsOf(60) },
    );
  });

  it("never calls an altered key the key itself", () => {
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom(...Object.keys(encodings)),
        fc.nat(2),
        fc.constantFrom(" ", '"', "'", "}", ">", "&", ";"),
        (text, name, offset, after) => {
          const { mask } = createRedactor(manifestWith([text]));
          for (const [how, altered] of alteredSecrets(text)) {
            // A key to which letters were appended holds the key.
            if (altered === text || how === "appended") continue;
            expect(mask(encodings[name]!(`${" ".repeat(offset)}${altered}${after}`))).not.toContain("<key:");
          }
        },
      ),
      { numRuns: runsOf(300) },
    );
  });

  it("calls the key the key, at every alignment and before any neighbour", () => {
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom("base64", "base64url", "hex", "HEX"),
        fc.nat(2),
        fc.string({ maxLength: 2 }),
        (text, name, offset, after) => {
          const { mask } = createRedactor(manifestWith([text]));
          expect(mask(encodings[name]!(`${" ".repeat(offset)}${text}${after}`))).toMatch(/<key:k0:(?:base64|hex)>/);
        },
      ),
      { numRuns: runsOf(300) },
    );
  });

  it("leaves what holds no secret as it is", () => {
    const { mask } = createRedactor(manifestWith(["sk_test_0123456789abcdefghij", "sk_live_ABCDEFGHIJ9876543210"]));
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 200 }), fc.base64String({ maxLength: 400 }), fc.json()), (text) => {
        expect(mask(text)).toBe(text);
        expect(mask(encodeURIComponent(JSON.stringify(text)))).toBe(encodeURIComponent(JSON.stringify(text)));
      }),
    );
  });
});

describe("the filter of texts", () => {
  it("never misses a needle, wherever it stands", () => {
    const needle = fc.string({ minLength: 6, maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(needle, { minLength: 1, maxLength: 8 }),
        fc.string({ maxLength: 60 }),
        fc.string(),
        (needles, before, after) => {
          const mayHold = createTextFilter(needles);
          for (const one of needles) expect(mayHold(`${before}${one}${after}`)).toBe(true);
        },
      ),
    );
    expect(createTextFilter([])("anything at all")).toBe(false);
  });
});
