import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { initialManifest } from "../../src/config/initial-manifest.ts";
import { parseManifest } from "../../src/config/parse-manifest.ts";

function problemsOf(text: string, env: Record<string, string> = { ASSAY_API_KEY: "secret-1" }): readonly string[] {
  try {
    parseManifest(text, { file: "assay.config.yaml", env });
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("parseManifest", () => {
  it("accepts what init writes, with every permission denied", () => {
    const { manifest, notes } = parseManifest(initialManifest("http://127.0.0.1:8080"), {
      file: "assay.config.yaml",
      env: { ASSAY_API_KEY: "secret-1" },
    });
    expect(manifest.keys).toEqual({ primary: { secret: "secret-1", id: null, createdAtMs: null } });
    expect(Object.values(manifest.permissions)).toEqual([false, false, 0, false, false, false, null]);
    expect(notes).toEqual([]);
  });

  it("reports every problem at once, each with its line, the expected form and a suggestion", () => {
    const text = [
      "target:",
      "  baseURL: http://127.0.0.1:1",
      "  timeoutMs: soon",
      "permisions: {}",
      "limits:",
      "  queueing: quue",
      "  algorithm: fixed-windw",
    ].join("\n");
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "assay.config.yaml:1: target: baseUrl is missing (expected an absolute http or https URL without credentials, such as https://staging.example/api)",
        "assay.config.yaml:2: target.baseURL: unknown member (expected one of name, baseUrl, plan, timeoutMs, bodyIdleMs, bodyTotalMs, maxBodyBytes, maxEvents, headers, tls, proxy; did you mean baseUrl?)",
        "assay.config.yaml:3: target.timeoutMs: "soon" must be integer (expected milliseconds until the response head, 100 to 600000)",
        "assay.config.yaml:4: permisions: unknown member (expected one of $schema, target, keys, models, features, limits, permissions, restore, faults, foreignKeyId, propagationSeconds, exclusive, budget, prices, baseline, require, waive, control; did you mean permissions?)",
        "assay.config.yaml:6: limits.queueing: "quue" is not allowed (expected queue, reject or unknown: what happens to requests during a cooldown; did you mean queue?)",
        "assay.config.yaml:7: limits.algorithm: "fixed-windw" is not allowed (expected fixed-window, sliding-log, sliding-counter, token-bucket, batch-refill or null: how the request limit counts; did you mean fixed-window?)",
      ]
    `);
  });

  it("reports a key of the wrong form once, and none of its value", () => {
    const text =
      "target: { baseUrl: http://127.0.0.1:1 }\nkeys:\n  a: [sk_live_1]\n  b: { secret: '${B}', idd: x }\n  c: { id: x }\n";
    expect(problemsOf(text)).toEqual([
      "assay.config.yaml:3: keys.a: the value must be string or object (expected a reference such as ${ASSAY_API_KEY}, or { secret: ${NAME}, id: key_id })",
      "assay.config.yaml:4: keys.b.idd: unknown member (expected one of secret, id, createdAt, allowShort; did you mean id?)",
      "assay.config.yaml:5: keys.c: secret is missing (expected a reference such as ${ASSAY_API_KEY})",
    ]);
  });

  it("names a member of faults or keys that is not known, once, with the nearest names", () => {
    const text = [
      "target: { baseUrl: http://127.0.0.1:1 }",
      "faults:",
      "  501: { path: /x }",
      "keys:",
      "  primary: ${ASSAY_API_KEY}",
      "  read_only: ${READ_ONLY}",
    ].join("\n");
    expect(problemsOf(text)).toEqual([
      "assay.config.yaml:3: faults.501: unknown member (expected one of 402, 500, 502, 503; did you mean 500?)",
      "assay.config.yaml:6: keys.read_only: unknown member (expected a letter a to z, then letters and digits; did you mean readOnly?)",
    ]);
  });

  it("shows no name below keys that may be a key itself", () => {
    const text = "target: { baseUrl: http://127.0.0.1:1 }\nkeys:\n  sk_live_Zx81LqT0pWv73NdRf5Ub: primary\n";
    expect(problemsOf(text)).toEqual([
      "assay.config.yaml:3: keys: the name of a member is not allowed (expected a letter a to z, then letters and digits)",
    ]);
  });

  it("takes no tag that it does not know for a value", () => {
    const target = "target:\n  baseUrl: http://127.0.0.1:1\n";
    expect(problemsOf(`${target}keys:\n  primary: !env ASSAY_API_KEY\n`)).toEqual([
      "assay.config.yaml:4: not valid YAML: Unresolved tag: !env",
    ]);
    expect(problemsOf(`%OTHER 1\n---\n${target}`)).toEqual(["assay.config.yaml:1: not valid YAML: Unknown directive %OTHER"]);
    expect(problemsOf(`${target}models:\n  ? [chat]\n  : reference-chat\n`)).toEqual([
      expect.stringMatching(/^assay\.config\.yaml:3: models\.\[ chat \]: unknown member/),
    ]);
  });

  it("names the line of broken YAML", () => {
    expect(problemsOf("target:\n  baseUrl: 'http://127.0.0.1:1\n")[0]).toMatch(/^assay\.config\.yaml:\d+: not valid YAML: /);
  });

  it("reports the first mistake of broken YAML, and how a reference is written within braces", () => {
    const text = "target: { baseUrl: http://127.0.0.1:1 }\nkeys: { primary: ${ASSAY_API_KEY} }\nbudget: { maxRequests: 5 }\n";
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^assay\.config\.yaml:2: not valid YAML: .* within \{ \} and \[ \] a reference stands in quotes/);
  });

  it("refuses secrets that are written out", () => {
    expect(problemsOf("target: { baseUrl: http://127.0.0.1:1 }\nkeys:\n  primary: sk_live_abcdef\n")).toEqual([
      "assay.config.yaml:3: keys.primary: a secret is written out (expected a reference such as ${ASSAY_API_KEY})",
    ]);
  });

  it("refuses a missing primary key and leaves out other keys with a note", () => {
    const text = "target: { baseUrl: http://127.0.0.1:1 }\nkeys:\n  primary: ${ASSAY_API_KEY}\n  admin: ${ADMIN}\n";
    expect(problemsOf(text, {})).toEqual([
      "assay.config.yaml:3: keys.primary: ASSAY_API_KEY is not set (expected the variable in the environment)",
    ]);
    const { manifest, notes } = parseManifest(text, { file: "f", env: { ASSAY_API_KEY: "sk-12345" } });
    expect(Object.keys(manifest.keys)).toEqual(["primary"]);
    expect(notes).toEqual(["key admin is left out: ADMIN is not set"]);
  });

  it("refuses a key too short to be masked, unless it is allowed by name", () => {
    const text = "target: { baseUrl: http://127.0.0.1:1 }\nkeys:\n  primary: ${ASSAY_API_KEY}\n";
    expect(problemsOf(text, { ASSAY_API_KEY: "EMPTY" })).toEqual([
      expect.stringContaining("keys.primary: the key is shorter than 8 characters and cannot be kept out of records"),
    ]);
    const allowed = text.replace("${ASSAY_API_KEY}", '{ secret: "${ASSAY_API_KEY}", allowShort: true }');
    expect(problemsOf(allowed, { ASSAY_API_KEY: "EMPTY" })).toEqual([]);
  });

  it("reads references in headers, ids and creation times", () => {
    const text = [
      "target: { baseUrl: 'http://127.0.0.1:1', headers: { x-env: '${STAGE}' } }",
      "keys:",
      "  fresh: { secret: '${FRESH}', id: key_1, createdAt: 2026-11-21T08:00:00Z }",
    ].join("\n");
    const env = { STAGE: "qa", FRESH: "s-123456", ASSAY_API_KEY: "sk-12345" };
    const { manifest } = parseManifest(text, { file: "f", env });
    expect(manifest.target.headers).toEqual({ "x-env": "qa" });
    expect(manifest.keys["fresh"]).toEqual({ secret: "s-123456", id: "key_1", createdAtMs: Date.UTC(2026, 10, 21, 8) });
  });

  it("refuses a feature that it does not know", () => {
    expect(problemsOf("target: { baseUrl: 'http://127.0.0.1:1' }\nfeatures: { imges: false }\n")).toEqual([
      expect.stringMatching(/^assay\.config\.yaml:2: features\.imges: unknown member .*did you mean images\?/),
    ]);
  });

  it("refuses a base URL with credentials and a control plane that is not on this machine", () => {
    expect(
      problemsOf("target: { baseUrl: 'http://user:pass@host' }\ncontrol: { url: 'http://10.0.0.1:1', token: x }\n"),
    ).toHaveLength(2);
  });
});
