import { describe, expect, it } from "vitest";
import { applyTargetFlags, type TargetFlags } from "../../src/config/apply-target-flags.ts";
import { chooseProxy } from "../../src/config/choose-proxy.ts";
import { ConfigError } from "../../src/config/config-error.ts";
import { redactManifest } from "../../src/config/redact-manifest.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { hideFlagValues } from "../../src/command/hide-flag-values.ts";
import { testManifest } from "../make/test-manifest.ts";

type Environment = Readonly<Record<string, string>>;

function apply(flags: TargetFlags, env: Environment = {}, target: Parameters<typeof testManifest>[1] = {}): Manifest {
  const manifest = testManifest("https://api.example", target);
  return applyTargetFlags(manifest, flags, env).manifest;
}

function problemOf(flags: TargetFlags, env: Environment = {}): string {
  try {
    apply(flags, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

describe("--header", () => {
  it("adds to the fields of the manifest and replaces its own, whatever the case", () => {
    const headers = ["X-Tenant: blue", "x-trace:${TRACE}"];
    const { target } = apply({ headers }, { TRACE: "trace-4711-secret" }, { headers: { "x-tenant": "red", accept: "*/*" } });
    expect(target.headers).toEqual({ accept: "*/*", "X-Tenant": "blue", "x-trace": "trace-4711-secret" });
  });

  it("hides each value, however short or plain, in the manifest and in the command line", () => {
    const manifest = apply({ headers: ["x-tenant: 42", "accept: text/secret", "x-gate: open-sesame-123"] });
    expect(redactManifest(manifest).target.headers).toEqual({ "x-tenant": "", accept: "", "x-gate": "" });
    const command = [
      "assay",
      "check",
      "--header",
      "x-tenant: 42",
      "--header=x-gate: open-sesame-123",
      "--proxy",
      "http://u:p@h:1",
    ];
    expect(hideFlagValues([...command, "--header", "x-env: ${TENANT}", "--header", "oops"])).toEqual([
      "assay",
      "check",
      "--header",
      "x-tenant: <header:x-tenant>",
      "--header=x-gate: <header:x-gate>",
      "--proxy",
      "http://h:1",
      "--header",
      "x-env: ${TENANT}",
      "--header",
      "<header>",
    ]);
  });

  it.each([
    ["no-colon-secret-value", /^--header: not a header field \(expected 'name: value'/],
    ["x y: secret-value-1", /not a header field/],
    ["x-a:", /^--header x-a: the value is empty/],
    ["x-a: secret\u0007value", /a header cannot contain/],
    ["x-a: ${ABSENT}", /ABSENT is not set/],
  ])("refuses %j and repeats no value", (header, words) => {
    const problem = problemOf({ headers: [header] });
    expect(problem).toMatch(words);
    expect(problem).not.toMatch(/secret/);
  });
});

describe("--insecure", () => {
  it("trusts any certificate, and says so", () => {
    expect(apply({ insecure: true }).target.tls.rejectUnauthorized).toBe(false);
    expect(applyTargetFlags(testManifest("https://a.example"), { insecure: true }, {}).notes).toEqual([
      expect.stringContaining("not verified"),
    ]);
    expect(apply({}, {}, { tls: { rejectUnauthorized: false } }).target.tls.rejectUnauthorized).toBe(false);
  });
});

describe("the proxy", () => {
  const choose = (baseUrl: string, env: Environment, more: object = {}): string | null =>
    chooseProxy({ baseUrl, env, ...more })?.url ?? null;

  it("is that of the flag, of the manifest, of the environment, in this order", () => {
    const env = { HTTPS_PROXY: "http://env:1" };
    expect(choose("https://api.example", env, { flag: "http://flag:1", member: "http://member:1" })).toBe("http://flag:1");
    expect(choose("https://api.example", env, { flag: false, member: "http://member:1" })).toBeNull();
    expect(choose("https://api.example", env, { member: "http://member:1" })).toBe("http://member:1");
    expect(choose("https://api.example", env, { member: null })).toBeNull();
    expect(choose("https://api.example", env)).toBe("http://env:1");
    expect(choose("http://api.example", env)).toBeNull();
    expect(choose("http://api.example", { HTTP_PROXY: "env:2", http_proxy: "lower:1" })).toBe("http://lower:1");
    expect(choose("https://api.example", { ALL_PROXY: "env:3" })).toBe("http://env:3");
  });

  it.each(["*", "api.example", ".example", "*.example", "other api.example", "other,example", "api.example:443", "EXAMPLE"])(
    "is not used where NO_PROXY is %s",
    (exempt) => expect(choose("https://api.example", { HTTPS_PROXY: "p:1", NO_PROXY: exempt })).toBeNull(),
  );

  it.each(["pi.example", "api.example:80", "api.example.org", ""])("is used where NO_PROXY is %j", (exempt) =>
    expect(choose("https://api.example", { HTTPS_PROXY: "p:1", NO_PROXY: exempt })).toBe("http://p:1"),
  );

  it("of the environment is not used for this machine; that of a flag is", () => {
    const env = { HTTP_PROXY: "http://env:1" };
    expect(choose("http://127.0.0.1:8080", env)).toBeNull();
    expect(choose("http://127.example.com", env)).toBe("http://env:1");
    expect(choose("http://127.0.0.1:8080", env, { flag: "http://flag:1" })).toBe("http://flag:1");
  });

  it("gives its credentials away nowhere", () => {
    const manifest = apply({ proxy: "http://qa-user-1:p%40ss-word-9@proxy.example:3128" });
    expect(manifest.target.proxy).toBe("http://qa-user-1:p%40ss-word-9@proxy.example:3128");
    expect(redactManifest(manifest).target.proxy).toBe("http://proxy.example:3128");
    expect(manifest.secrets?.map(({ value }) => value)).toEqual(expect.arrayContaining(["qa-user-1", "p@ss-word-9"]));
    expect(problemOf({ proxy: "socks5://u:secret@h:1" })).toMatch(/^--proxy: proxies of scheme socks5: are not supported/);
    expect(problemOf({}, { https_proxy: "http://u:secret@h:x" })).toMatch(/^https_proxy: not a valid URL of a proxy/);
    expect(problemOf({ proxy: "socks5://u:secret@h:1" })).not.toContain("secret");
  });
});
