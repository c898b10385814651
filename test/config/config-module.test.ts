import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { defineConfig } from "../../src/config/define-config.ts";
import { loadManifest } from "../../src/config/load-manifest.ts";

const env = { ASSAY_API_KEY: "sk_test_0123456789" };
const root = resolve(import.meta.dirname, "../..");
const typed = `
interface Named { readonly name: string }
const target: Named & { baseUrl: string } = { name: "typed", baseUrl: "http://127.0.0.1:1" };
export default { target, keys: { primary: "\${ASSAY_API_KEY}" } };
`;

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "assay-module-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function load(files: Readonly<Record<string, string>>): ReturnType<typeof loadManifest> {
  return loadManifest({ file: null, baseUrl: null, workingDirectory: folderWith(files), env });
}

describe("a configuration that is a module", () => {
  it("is found and checked as YAML is, with no lines", () => {
    const good = 'export default { target: { name: "js", baseUrl: `http://127.0.0.1:${4 * 2}` } };';
    expect(load({ "assay.config.mjs": good })?.manifest.target).toMatchObject({ name: "js", baseUrl: "http://127.0.0.1:8" });
    const bad = 'export default { target: { baseURL: "http://127.0.0.1:1" } };';
    expect(() => load({ "assay.config.mjs": bad })).toThrow(/assay\.config\.mjs: target\.baseURL: unknown member .*did you mean/);
    const secret = 'export default { target: { baseUrl: "http://127.0.0.1:1" }, keys: { primary: "sk_live_written_out" } };';
    expect(() => load({ "assay.config.mjs": secret })).toThrow(/keys\.primary: a secret is written out/);
  });

  it.each([
    ["export const target = 1;\nexport default null;", /exports no configuration/],
    ["export default Promise.resolve({});", /exports no configuration/],
    ["const a = {}; a.a = a; export default a;", /cannot be written as JSON/],
    ["throw new Error('broken on purpose');", /cannot be loaded: broken on purpose/],
  ])("is refused where it gives nothing to read: %s", (text, words) => {
    expect(() => load({ "assay.config.mjs": text })).toThrow(words);
  });

  it("is refused beside another one: which of them holds would be a guess", () => {
    const files = { "assay.config.yaml": "target: { baseUrl: http://127.0.0.1:1 }", "assay.config.ts": typed };
    expect(() => load(files)).toThrow(/assay\.config\.ts: .*assay\.config\.yaml is there, too/);
  });

  it("is TypeScript where Node reads it; elsewhere the message names the ways", () => {
    const reads = "typescript" in process.features && Boolean(process.features.typescript);
    const files = { "assay.config.ts": typed };
    if (reads) expect(load(files)?.manifest.target.name).toBe("typed");
    else
      expect(() => load(files)).toThrow(
        /Node \S+ reads no TypeScript \(expected Node 22\.18 or later, or NODE_OPTIONS='--import tsx'/,
      );
  });

  it("is TypeScript under tsx", () => {
    const config = join(folderWith({ "assay.config.ts": typed }), "assay.config.ts");
    const args = ["--import", "tsx", "dist/src/cli/bin.js", "check", "--plan", "--config", config];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      cwd: root,
      env: { ...env, PATH: process.env["PATH"] },
      encoding: "utf8",
    });
    expect({ stderr, status }).toMatchObject({ status: 0 });
    expect(stdout).toContain("127.0.0.1:1");
  });

  it("has a type that takes references for keys, and no values", () => {
    const target = { baseUrl: "http://127.0.0.1:1" };
    expect(defineConfig({ target, keys: { primary: "${ASSAY_API_KEY}" } }).target).toBe(target);
    // @ts-expect-error the value of a variable could not be told from a secret that is written out
    defineConfig({ target, keys: { primary: process.env["ASSAY_API_KEY"] } });
    // @ts-expect-error a member that does not exist
    defineConfig({ target, limit: {} });
  });
});
