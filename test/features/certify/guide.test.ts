import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { startReferenceService } from "../../../src/index.ts";
import { engineFlags } from "../../make/runner/engine-flags.ts";

const guide = readFileSync(resolve(import.meta.dirname, "../../../docs/guide/certification.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "assay-guide-"));
const service = await startReferenceService({ seed: 6 });
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** The lines of code of a section, without what is only said in them. */
function linesOf(section: string): readonly string[] {
  const text = guide.split(`## ${section}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...text.matchAll(/^ {4}((?:assay|openssl|mkdir|cp) .*)$/gm)].map(([, line]) => line!);
}

/** The places of the guide are those of this test, and a run is one of few requests. */
function placed(line: string): string {
  return (
    line
      .replace("https://staging.example/api", service.url)
      // Its exit code is that of a run in which parts stay open.
      .replace(/assay run (.*)/, "assay check --suite models $1 || test $? = 3")
      .replace(/reports\/(?:2026\S+|\.\.\.)/, "reports/latest")
      .replace(/^cp -n /, "cp reports/latest/")
  );
}

it("the guide to certification is carried out line by line, and its bundle is accepted and endorsed", async () => {
  const [vendor, verifier] = [linesOf("For a vendor"), linesOf("For a verifier")];
  expect([vendor.length, verifier.length]).toEqual([6, 6]);
  const bin = resolve(import.meta.dirname, "../../../dist/src/cli/bin.js");
  writeFileSync(join(folder, "assay"), `#!/bin/sh\nexec "${process.execPath}" ${engineFlags.join(" ")} "${bin}" "$@"\n`);
  chmodSync(join(folder, "assay"), 0o755);
  // Parts of a suite that no key of this manifest can ask for stay open.
  writeFileSync(
    join(folder, "policy.yaml"),
    "verdict: any\nchallenge: true\nrejudged: true\nmaxAgeDays: 30\nproduct: My server\n",
  );
  const [vendorKey, publicKey, , , challengedRun, challengedCertify] = vendor;
  const [verifierKey, challenge, mkdir, copy, verify, endorse] = verifier;
  const steps = [vendorKey, publicKey, verifierKey, challenge, challengedRun, challengedCertify, mkdir, copy, verify, endorse];
  const primary = service.manifest.keys["primary"]?.secret ?? "";
  const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}`, HOME: folder, ASSAY_API_KEY: primary };
  const said: string[] = [];
  for (const step of steps) {
    const { stdout } = await promisify(execFile)("sh", ["-c", placed(step!)], { cwd: folder, env });
    said.push(stdout.trimEnd().split("\n").at(-1) ?? "");
  }
  expect(said.at(-2)).toBe("ACCEPTED");
  expect(said.at(-1)).toMatch(/endorsement\.json$/);
});
