import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { certifyRun } from "../../../src/features/certify/bundle/certify-run.ts";
import { commandFile, type Ended, runAssay } from "../../cli/run-assay.ts";
import { engineFlags } from "../../make/runner/engine-flags.ts";
import { isWhole } from "../../make/runner/sample.ts";
import { makeKeys } from "./sample-bundle.ts";

/** With `npm run test:all` other versions of Node, which npm downloads; that they cannot be had is a failure there. */
const otherNodes = isWhole ? ["22", "24"] : [];
const root = mkdtempSync(join(tmpdir(), "assay-everywhere-"));
const sample = resolve(import.meta.dirname, "../../../reports/sample");
const bundle = join(root, "sample.assay.tar");

beforeAll(async () => {
  const run = join(root, "run");
  mkdirSync(run);
  writeFileSync(join(run, "run.json"), readFileSync(join(sample, "run.json")));
  for (const name of ["evidence.ndjson", "load.ndjson"])
    writeFileSync(join(run, name), gunzipSync(readFileSync(join(sample, `${name}.gz`))));
  const { signing, publicPem } = makeKeys("ed25519");
  writeFileSync(join(root, "key.pem"), publicPem);
  await certifyRun({ folder: run, out: bundle, key: signing, product: null, now: new Date() });
});
afterAll(() => rmSync(root, { recursive: true }));

const flags = ["verify", bundle, "--trust", join(root, "key.pem")];
/**
 * The output of `verify` for the bundle but for cost and build; it compares every byte of result, page and JUnit
 * file.
 */
const withoutCost = ({ stdout, stderr }: Pick<Ended, "stdout" | "stderr">): string =>
  stdout.replaceAll(/^(?:cost: |not checked: that the program which judged is this one).*\n/gm, "") + stderr;

function verifyIn(env: Readonly<Record<string, string>>, node: string = process.execPath): string {
  const { PATH = "" } = process.env;
  const spared = node === process.execPath ? engineFlags : [];
  return withoutCost(
    spawnSync(node, [...spared, commandFile, ...flags], { cwd: root, encoding: "utf8", env: { PATH, HOME: root, ...env } }),
  );
}

describe("the verdict on a bundle", () => {
  it("is the same to the byte in other time zones and locales, and on other versions of Node", async () => {
    const here = withoutCost(await runAssay(flags));
    expect(here).toMatch(/checked: judged again, the run gives result\.json, report\.html, junit\.xml byte for byte/);
    expect(verifyIn({ TZ: "Asia/Kathmandu", LC_ALL: "tr_TR.UTF-8", LANGUAGE: "tr" })).toBe(here);
    if (isWhole) expect(verifyIn({ TZ: "America/St_Johns", LC_ALL: "ar_EG.UTF-8", LANG: "ar_EG.UTF-8" })).toBe(here);
    for (const version of otherNodes) {
      const find = ["-y", "-p", `node@${version}`, "--", "node", "-p", "process.execPath"];
      const node = execFileSync("npx", find, { encoding: "utf8" }).trim();
      expect(execFileSync(node, ["--version"], { encoding: "utf8" })).toMatch(new RegExp(`^v${version}\\.`));
      expect(verifyIn({ TZ: "Asia/Kathmandu", LC_ALL: "tr_TR.UTF-8" }, node)).toBe(here);
    }
  });
});
