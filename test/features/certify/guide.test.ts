import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { startReferenceService } from "../../../src/index.ts";
import { openGuideShell } from "../../make/guides/guide-shell.ts";
import { readGuide } from "../../make/guides/read-guide.ts";

const guide = readGuide("certification.md", ["assay", "openssl", "mkdir", "cp"]);
const shell = openGuideShell();
const service = await startReferenceService({ seed: 6 });
afterAll(async () => {
  await service.close();
  shell.close();
});

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
  const [vendor, verifier] = [guide.commandsOf("For a vendor"), guide.commandsOf("For a verifier")];
  expect([vendor.length, verifier.length]).toEqual([6, 6]);
  // Parts of a suite that no key of this manifest can ask for stay open.
  writeFileSync(
    join(shell.folder, "policy.yaml"),
    "verdict: any\nchallenge: true\nrejudged: true\nmaxAgeDays: 30\nproduct: My server\n",
  );
  const [vendorKey, publicKey, , , challengedRun, challengedCertify] = vendor;
  const [verifierKey, challenge, mkdir, copy, verify, endorse] = verifier;
  const steps = [vendorKey, publicKey, verifierKey, challenge, challengedRun, challengedCertify, mkdir, copy, verify, endorse];
  const env = { ASSAY_API_KEY: service.manifest.keys["primary"]?.secret ?? "" };
  const said: string[] = [];
  for (const step of steps) {
    const { exitCode, last } = await shell.run(placed(step!), env);
    expect([step, exitCode]).toEqual([step, 0]);
    said.push(last);
  }
  expect(said.at(-2)).toBe("ACCEPTED");
  expect(said.at(-1)).toMatch(/endorsement\.json$/);
});
