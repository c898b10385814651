import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/config-problem.ts";
import { findManifest, loadManifest, type LoadManifestOptions } from "../../src/config/load-manifest.ts";
import { redactManifest } from "../../src/config/redact-manifest.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-config-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const env = { ASSAY_API_KEY: "sk_test_0123456789", OTHER: "sk_test_9876543210" };

function load(changes: Partial<LoadManifestOptions>): ReturnType<typeof loadManifest> {
  return loadManifest({ file: null, baseUrl: null, workingDirectory: folder, env, ...changes });
}

function write(text: string): string {
  const file = join(folder, "assay.config.yaml");
  writeFileSync(file, text);
  return file;
}

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(`${folder}/`, "").split("\n");
    throw error;
  }
  return [];
}

describe("the manifest", () => {
  it("is the nearest upwards, but not beyond the root of the repository", () => {
    const file = write("target: { baseUrl: http://127.0.0.1:1 }");
    const inner = join(folder, "a", "b");
    mkdirSync(inner, { recursive: true });
    expect(findManifest(inner)).toBe(file);
    mkdirSync(join(folder, "a", ".git"));
    expect(findManifest(inner)).toBeNull();
    expect(load({ workingDirectory: inner })).toBeNull();
    expect(problemsOf(() => load({ file: "none.yaml" }))[0]).toContain("there is no such file");
  });

  it("is made of flags and one variable where there is no file", () => {
    const loaded = load({ baseUrl: "http://127.0.0.1:8080/api/" });
    expect(loaded?.file).toBeNull();
    expect(loaded?.manifest).toMatchObject({
      target: { name: "127.0.0.1:8080", baseUrl: "http://127.0.0.1:8080/api/" },
      keys: { primary: { secret: env.ASSAY_API_KEY } },
    });
    expect(problemsOf(() => load({ baseUrl: "http://127.0.0.1:1", env: {} }))[0]).toContain("ASSAY_API_KEY is not set");
    expect(problemsOf(() => load({ baseUrl: "ftp://host/" }))).toEqual([
      expect.stringMatching(/^--base-url: addresses of scheme ftp:/),
    ]);
    expect(problemsOf(() => load({ baseUrl: "http://me:pw@host/" }))[0]).toContain("holds a user name or password");
    expect(problemsOf(() => load({ baseUrl: "nonsense" }))).toEqual([expect.stringMatching(/^--base-url: this is no URL/)]);
    const withLineEnd = { ASSAY_API_KEY: "sk_test_0123456789\n" };
    expect(problemsOf(() => load({ baseUrl: "http://127.0.0.1:1", env: withLineEnd }))).toEqual([
      expect.stringMatching(/^ASSAY_API_KEY: the key holds blanks, line ends/),
    ]);
  });

  it("takes the base URL of the flag before its own, and a base URL from the environment", () => {
    write("target: { baseUrl: '${STAGE}/api' }\nkeys: { primary: '${ASSAY_API_KEY}' }");
    const staged = { ...env, STAGE: "https://staging.example" };
    expect(load({ env: staged })?.manifest.target.baseUrl).toBe("https://staging.example/api");
    expect(load({ env: staged, baseUrl: "http://127.0.0.1:9" })?.manifest.target.baseUrl).toBe("http://127.0.0.1:9");
    expect(problemsOf(() => load({}))).toEqual([
      "assay.config.yaml:1: target.baseUrl: STAGE is not set (expected the variable in the environment)",
    ]);
  });

  it("tells all that shows only once references are replaced, each with its line", () => {
    write(
      [
        "target:",
        "  baseUrl: http://127.0.0.1:1",
        "  headers: { 'x y': a, x-note: '${NOTE}' }",
        "  tls: { caFile: none.pem }",
        "keys:",
        "  primary: ${ASSAY_API_KEY}",
        "  secondary: ${ASSAY_API_KEY}",
        "  admin: ${BROKEN}",
      ].join("\n"),
    );
    const broken = { ...env, NOTE: "two\nlines", BROKEN: "sk test" };
    expect(problemsOf(() => load({ env: broken }))).toEqual([
      "assay.config.yaml:3: target.headers.x y: this is no header name (expected letters, digits and hyphens)",
      "assay.config.yaml:3: target.headers.x-note: the value holds characters that no header can carry",
      expect.stringMatching(/^assay\.config\.yaml:4: target\.tls\.caFile: there is no file .*none\.pem/),
      "assay.config.yaml:7: keys.secondary: this is the same key as primary (expected a key of its own: checks compare what two keys do)",
      "assay.config.yaml:8: keys.admin: the key holds blanks, line ends or other characters that no header can carry (expected the bare key in the variable)",
    ]);
  });

  it("finds the certificate file beside itself", () => {
    writeFileSync(join(folder, "ca.pem"), "pem");
    write("target: { baseUrl: 'https://host', tls: { caFile: ca.pem } }\nkeys: { primary: '${ASSAY_API_KEY}' }");
    expect(load({ workingDirectory: folder })?.manifest.target.tls.caFile).toBe(join(folder, "ca.pem"));
  });

  it("notes keys that travel in the clear and a base URL that ends with the version", () => {
    expect(load({ baseUrl: "http://api.example/v1" })?.notes).toEqual([
      "keys travel unencrypted to api.example: the address is http, not https",
      "target.baseUrl ends with /v1, and every path begins with /v1: it may be one too many",
    ]);
    expect(load({ baseUrl: "http://localhost:1/" })?.notes).toEqual([]);
  });

  it("never repeats what may be a secret", () => {
    const secret = "sk_live_do_not_print_me";
    for (const text of [
      `keys: { primary: ['${secret}'] }`,
      `keys: { primary: '${secret}' }`,
      `keys: { primary: { secret: { a: '${secret}' } } }`,
      `control: { url: 'http://127.0.0.1:1', token: ['${secret}'] }`,
    ]) {
      write(`target: { baseUrl: 'http://127.0.0.1:1' }\n${text}`);
      const problems = problemsOf(() => load({}));
      expect(problems.length).toBeGreaterThan(0);
      expect(problems.join("\n")).not.toContain(secret);
    }
  });

  it("loses its secrets for judges and results", () => {
    write(
      [
        "target: { baseUrl: 'http://127.0.0.1:1', headers: { x-gateway-key: '${OTHER}', x-stage: qa } }",
        "keys: { primary: '${ASSAY_API_KEY}' }",
        "control: { url: 'http://127.0.0.1:2', token: '${OTHER}' }",
      ].join("\n"),
    );
    const redacted = JSON.stringify(redactManifest(load({})!.manifest));
    expect(redacted).not.toContain("sk_test_");
    expect(redacted).toContain('"x-stage":"qa"');
  });
});
