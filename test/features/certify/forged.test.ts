import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Result } from "../../../src/core/result/result.ts";
import { readArchive } from "../../../src/features/certify/archive/read-archive.ts";
import { wholeContent } from "../../../src/features/certify/archive/read-content.ts";
import { packBundle } from "../../../src/features/certify/bundle/pack-bundle.ts";
import { verifyBundle } from "../../../src/features/certify/verify/verify-bundle.ts";
import { runAssay, runFolder } from "../../cli/run-assay.ts";
import { archiveOf, makeKeys } from "./sample-bundle.ts";

const root = mkdtempSync(join(tmpdir(), "assay-forged-"));
const vendor = makeKeys("ed25519");
const verifier = makeKeys("ed25519");
const trust = join(root, "vendor.pem");
const honest = join(root, "honest.assay.tar");
const forged = join(root, "forged.assay.tar");
const policy = (name: string, text: string): string => {
  const file = join(root, name);
  writeFileSync(file, text);
  return file;
};
const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";

/** All that says that something failed, as a forger would have it. */
function asPassed(result: Result): Result {
  const requirements = (result.conformance?.requirements ?? []).map((one) =>
    one.verdict === "fail" ? { ...one, verdict: "pass" as const, findings: [], exchanges: [] } : one,
  );
  const conformance = result.conformance === null ? null : { ...result.conformance, requirements };
  return { ...result, verdict: "passed", reason: "all in scope was judged and met", exitCode: 0, findings: [], conformance };
}

beforeAll(async () => {
  const { folder } = await runAssay(["check", "--suite", "models", "--demo", "--mutant", "models/owner-absent"]);
  writeFileSync(trust, vendor.publicPem);
  const flags = ["--key", "env:KEY", "--out", honest, "--product", "Product", "--product-version", "1"];
  await runAssay(["certify", runFolder(folder), ...flags], { env: { KEY: vendor.privatePem } });
  const { predicate } = await verifyBundle(honest, [vendor.trusted]);
  const [packed, plain] = [new Map<string, Buffer>(), new Map<string, Buffer>()];
  for (const [name, member] of await readArchive(honest)) {
    if (name.startsWith("attestation.")) continue;
    const content = await wholeContent(member, 10_000_000);
    if (name.endsWith(".gz")) packed.set(name.replace(/\.gz$/, ""), content);
    else plain.set(name, content);
  }
  const result = asPassed(JSON.parse(packed.get("result.json")!.toString()) as Result);
  packed.set("result.json", Buffer.from(`${JSON.stringify(result, null, 2)}\n`));
  const { members } = packBundle({
    result,
    product: { name: "Product", version: "1" },
    signedAt: predicate.signedAt,
    toolSha256: predicate.tool.sha256,
    catalogueSha256: predicate.catalogue.sha256,
    packed,
    plain,
    key: vendor.signing,
  });
  writeFileSync(forged, archiveOf(members));
});
afterAll(() => rmSync(root, { recursive: true }));

describe("a verdict that the vendor changed and signed with its own key", () => {
  const verify = (...flags: readonly string[]) => runAssay(["verify", forged, "--trust", trust, ...flags]);

  it("is refused by default, and cannot be endorsed", async () => {
    const truth = await runAssay(["verify", honest, "--trust", trust]);
    expect([truth.exitCode, truth.stdout]).toEqual([1, expect.stringContaining('the verdict is "failed"')]);
    expect(await verify()).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^REFUSED {2}result\.json/) });
    const out = join(root, "endorsement.json");
    const endorse = ["endorse", forged, "--trust", trust, "--key", "env:KEY", "--out", out];
    expect(await runAssay(endorse, { env: { KEY: verifier.privatePem } })).toMatchObject({ exitCode: 1 });
    expect(await runAssay([...endorse, "--signature-only"], { env: { KEY: verifier.privatePem } })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("leave out --signature-only"),
    });
    expect(existsSync(out)).toBe(false);
  });

  it("passes by its signature alone, which the last line says, unless the policy demands more", async () => {
    const weak = await verify("--signature-only");
    expect([weak.exitCode, lastLine(weak.stdout)]).toEqual([
      0,
      "ACCEPTED BY SIGNATURE ONLY  the verdicts are the word of the signer: nothing was judged again",
    ]);
    const strict = await verify("--signature-only", "--policy", policy("rejudged.yaml", "rejudged: true\n"));
    expect([strict.exitCode, strict.stdout]).toEqual([1, expect.stringMatching(/policy: the verdicts were not computed anew/)]);
  });
});

describe("a policy that verify refuses", () => {
  it.each([
    ["an unknown member", "rejudge: true\n"],
    ["a value that cannot be used", "maxAgeDays: -1\n"],
    ["no object", "[]\n"],
    ["a circle", "suites: &a [*a]\n"],
    ["no YAML", "suites: [\n"],
  ])("is refused by challenge in the same words: %s", async (what, text) => {
    const file = policy(`${what}.yaml`, text);
    const out = join(root, `${what}.json`);
    const challenged = await runAssay(["challenge", "--out", out, "--policy", file]);
    const verified = await runAssay(["verify", honest, "--trust", trust, "--policy", file]);
    expect([challenged.exitCode, verified.exitCode]).toEqual([2, 2]);
    expect(challenged.stderr).toBe(verified.stderr);
    expect(challenged.stderr.length).toBeGreaterThan(20);
    expect(existsSync(out)).toBe(false);
  });

  it("is not one that certification.md shows", async () => {
    const guide = readFileSync(new URL("../../../docs/guide/certification.md", import.meta.url), "utf8");
    const shown = /\n {4}verdict: passed[^]*?\n\n/.exec(guide)?.[0] ?? "";
    const members = [...shown.matchAll(/^ {4}(\w+):/gm)].map(([, name]) => name);
    expect(members).toEqual(["verdict", "suites", "mayBeOpen", "gates", "challenge", "rejudged", "maxAgeDays", "product"]);
    const file = policy("guide.yaml", shown.replace(/^ {4}/gm, ""));
    expect(await runAssay(["challenge", "--out", join(root, "guide.json"), "--policy", file])).toMatchObject({ exitCode: 0 });
  });
});
