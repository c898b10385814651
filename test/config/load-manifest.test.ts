import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
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
    expect(problemsOf(() => load({ baseUrl: "nonsense" }))).toEqual([expect.stringMatching(/^--base-url: not a valid URL/)]);
    const withLineEnd = { ASSAY_API_KEY: "sk_test_0123456789\n" };
    expect(problemsOf(() => load({ baseUrl: "http://127.0.0.1:1", env: withLineEnd }))).toEqual([
      expect.stringMatching(/^ASSAY_API_KEY: the key holds blanks, line ends/),
    ]);
  });

  it("keeps its keys, permissions and name to its own base URL, whoever asks for another", () => {
    const file = write(
      [
        "target: { name: ours, baseUrl: '${STAGE}/api', headers: { x-gateway-key: '${OTHER}' }, timeoutMs: 4000, plan: pro }",
        "keys: { primary: '${OTHER}', admin: '${ADMIN}' }",
        "permissions: { patchSettings: true, exhaustLimits: true }",
        "restore: { keys: { admin: { burst_limit: 5 } } }",
        "baseline: [{ id: CHAT-021, reason: known }]",
        "budget: { maxRequests: 50 }",
      ].join("\n"),
    );
    const staged = { ...env, STAGE: "https://staging.example", ADMIN: "sk_test_admin" };
    const other = load({ env: staged, baseUrl: "http://127.0.0.1:9" });
    expect(other?.manifest).toMatchObject({
      target: { name: "127.0.0.1:9", baseUrl: "http://127.0.0.1:9", headers: {}, timeoutMs: 4000, plan: null },
      permissions: { patchSettings: false, exhaustLimits: false },
      restore: { keys: {} },
      baseline: [],
      budget: { maxRequests: 50 },
    });
    expect(Object.entries(other?.manifest.keys ?? {}).map(([name, { secret }]) => [name, secret])).toEqual([
      ["primary", env.ASSAY_API_KEY],
    ]);
    expect(other?.notes).toEqual([expect.stringContaining("describes another target")]);
    // Named outright or found: the keys stay where they belong.
    expect(load({ env: staged, file, baseUrl: "http://127.0.0.1:9" })?.manifest.keys["admin"]).toBeUndefined();
    expect(problemsOf(() => load({ env: { ...staged, ASSAY_API_KEY: "" }, baseUrl: "http://127.0.0.1:9" }))[0]).toContain(
      "no key is given, and ASSAY_API_KEY is not set",
    );
    // Its own address, written otherwise.
    const own = load({ env: staged, baseUrl: "https://staging.example/api/" });
    expect(own?.manifest.keys["primary"]?.secret).toBe(env.OTHER);
    expect(own?.notes).toEqual([]);
  });

  it("needs no keys where the environment holds one, and says so where it does not", () => {
    write("target: { baseUrl: 'http://127.0.0.1:1' }");
    expect(load({})?.manifest.keys["primary"]?.secret).toBe(env.ASSAY_API_KEY);
    expect(problemsOf(() => load({ env: {} }))).toEqual([
      expect.stringMatching(/^assay\.config\.yaml:1: keys\.primary: no key is given, and ASSAY_API_KEY is not set/),
    ]);
  });

  it("notes names of keys that look misspelt, and the proxy that is used", () => {
    write("target: { baseUrl: 'http://127.0.0.1:1' }\nkeys: { readonly: '${OTHER}', nightly: '${THIRD}' }");
    expect(load({ env: { ...env, THIRD: "sk_test_third_key" } })?.notes).toEqual([
      "no check uses a key named readonly: did you mean readOnly?",
    ]);
    const proxied = { ...env, HTTPS_PROXY: "http://proxy:3128" };
    expect(load({ env: proxied, baseUrl: "https://api.example" })?.notes.at(-1)).toBe(
      "requests go through the proxy http://proxy:3128 (HTTPS_PROXY)",
    );
    const likeLoopback = load({ env: { ...env, HTTP_PROXY: "http://proxy:3128" }, baseUrl: "http://127.example.com" });
    expect(likeLoopback?.notes).toEqual(
      expect.arrayContaining([
        expect.stringContaining("(HTTP_PROXY)"),
        expect.stringContaining("keys travel unencrypted to 127.example.com"),
      ]),
    );
    const exempt = load({ env: { ...proxied, NO_PROXY: "other, .example" }, baseUrl: "https://api.example" });
    expect(exempt?.notes.join(" ")).not.toContain("proxy");
  });

  it("takes a base URL from the environment", () => {
    write("target: { baseUrl: '${STAGE}/api' }\nkeys: { primary: '${ASSAY_API_KEY}' }");
    const staged = { ...env, STAGE: "https://staging.example" };
    expect(load({ env: staged })?.manifest.target.baseUrl).toBe("https://staging.example/api");
    expect(problemsOf(() => load({}))).toEqual([
      "assay.config.yaml:1: target.baseUrl: STAGE is not set (expected the variable in the environment)",
    ]);
  });

  it("says all that shows only once references are replaced, each with its line", () => {
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
      "assay.config.yaml:3: target.headers.x y: not a valid header name (expected letters, digits and hyphens)",
      "assay.config.yaml:3: target.headers.x-note: the value holds characters that a header cannot contain",
      expect.stringMatching(/^assay\.config\.yaml:4: target\.tls\.caFile: there is no file .*none\.pem/),
      "assay.config.yaml:7: keys.secondary: this is the same key as primary (expected a key of its own: checks compare what two keys do)",
      "assay.config.yaml:8: keys.admin: the key holds blanks, line ends or other characters that a header cannot contain (expected the bare key in the variable)",
    ]);
  });

  it("finds the certificate file beside itself", () => {
    writeFileSync(join(folder, "ca.pem"), "pem");
    write("target: { baseUrl: 'https://host', tls: { caFile: ca.pem } }\nkeys: { primary: '${ASSAY_API_KEY}' }");
    expect(load({ workingDirectory: folder })?.manifest.target.tls.caFile).toBe(join(folder, "ca.pem"));
    write("target: { baseUrl: 'https://host', tls: { caFile: . } }\nkeys: { primary: '${ASSAY_API_KEY}' }");
    expect(problemsOf(() => load({ workingDirectory: folder }))).toEqual([expect.stringContaining("caFile: there is no file .")]);
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
    expect(redacted).toContain('"x-stage":""');
  });
});
