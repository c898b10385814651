import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { Distortion } from "../../../src/core/exchange/send-request.ts";
import { authorizationField } from "../../../src/wire/redaction/credential.ts";
import { createRedactor } from "../../../src/wire/redaction/redaction.ts";
import { testManifest } from "../../make/test-manifest.ts";

function manifestWith(secrets: Readonly<Record<string, string>>, headers: Record<string, string> = {}): Manifest {
  const keys = Object.fromEntries(
    Object.entries(secrets).map(([name, secret]) => [name, { secret, id: null, createdAtMs: null }]),
  );
  return { ...testManifest("http://127.0.0.1:1", { headers }), keys };
}

const secret = fc.stringMatching(/^(?:nim|sk)_(?:live|test)_[A-Za-z0-9]{12,32}$/);

describe("redaction", () => {
  it("takes every secret out of any text, wherever it stands and however often", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(secret, { minLength: 2, maxLength: 4 }),
        fc.array(fc.string({ maxLength: 20 }), { maxLength: 6 }),
        (keys, pieces) => {
          const manifest = manifestWith(Object.fromEntries(keys.map((key, index) => [`k${index}`, key])));
          const { mask } = createRedactor(manifest);
          const text = pieces.flatMap((piece, index) => [piece, keys[index % keys.length]!]).join("");
          const masked = mask(text);
          for (const key of keys) expect(masked).not.toContain(key);
          if (pieces.length > 0) expect(masked).toContain("<key:k0>");
        },
      ),
    );
  });

  it("leaves a text without secrets as it is", () => {
    const { mask, maskBytes } = createRedactor(manifestWith({ primary: "sk_test_0123456789ab" }));
    for (const text of ["", "sk_test_", "sk_test_01234567", 'data: {"a":1}', "<key:primary>"]) expect(mask(text)).toBe(text);
    const bytes = Buffer.from([0, 255, 1]);
    expect(maskBytes(bytes)).toBe(bytes);
  });

  it("hides a key that contains another in full, and re-encoded keys", () => {
    const [short, long] = ["sk_test_0123456789ab", "sk_test_0123456789abcdef"];
    const { mask } = createRedactor(manifestWith({ short, long }));
    expect(mask(`${long} ${short}`)).toBe("<key:long> <key:short>");
    expect(mask(Buffer.from(short).toString("base64"))).not.toContain(Buffer.from(short).toString("base64").replaceAll("=", ""));
    expect(mask(short.toUpperCase())).toMatch(/^<almost-key:short:[a-z-]+>$/);
  });

  it("distinguishes a key that is followed by letters from one to which letters were appended", () => {
    const key = "sk_test_0123456789ab";
    const { mask } = createRedactor(manifestWith({ primary: key }));
    for (const letter of "AaZz09") expect(mask(`${key}${letter}`)).toBe(`<key:primary>${letter}`);
  });

  it("shows how a key was distorted and never the key", () => {
    const key = "sk_test_0123456789aB";
    const { mask } = createRedactor(manifestWith({ primary: key }));
    const all: Readonly<Record<Distortion, string>> = {
      "no-scheme": "<key:primary>",
      "no-space": "Bearer<key:primary>",
      "basic-scheme": "Basic <key:primary>",
      "token-scheme": "Token <key:primary>",
      "lower-case-scheme": "bearer <key:primary>",
      "two-spaces": "Bearer  <key:primary>",
      "mixed-case-field-name": "Bearer <key:primary>",
      "other-field": "<key:primary>",
      "api-key-field": "<key:primary>",
      cookie: "api_key=<key:primary>",
      "basic-pair": "Basic <key:primary:basic-pair>",
      "last-character-changed": "Bearer <key:primary:last-character-changed>",
      cut: "Bearer <key:primary:cut>",
      appended: "Bearer <key:primary:appended>",
      "case-swapped": "Bearer <key:primary:case-swapped>",
      "text-after-space": "Bearer <key:primary:text-after-space>",
      "text-after-tab": "Bearer <key:primary:text-after-tab>",
      "text-after-comma": "Bearer <key:primary:text-after-comma>",
      "text-after-semicolon": "Bearer <key:primary:text-after-semicolon>",
      "text-before": "Bearer <key:primary:text-before>",
      twice: "Bearer <key:primary:twice>",
      "in-quotes": "Bearer <key:primary:in-quotes>",
    };
    for (const [how, shown] of Object.entries(all) as [Distortion, string][]) {
      const field = authorizationField({ kind: "distorted", key: "primary", how }, () => key);
      expect(field?.shown).toBe(shown);
      const unusual = field?.value !== `Bearer ${key}` || field.name !== "authorization";
      expect(unusual).toBe(true);
      expect(mask(field!.value)).not.toContain(key.slice(0, 12));
    }
  });

  it("hides secrets of manifest headers and of the control plane", () => {
    const manifest = {
      ...manifestWith(
        { primary: "sk_test_0123456789ab" },
        { "x-gateway-key": "gw-0123456789", authorization2: "Bearer zzzzzzzzzz" },
      ),
      control: { url: "http://127.0.0.1:1", token: "control-0123" },
    };
    const { mask } = createRedactor(manifest);
    expect(mask("gw-0123456789 zzzzzzzzzz control-0123")).toBe("<header:x-gateway-key> <header:authorization2> <control-token>");
  });
});
