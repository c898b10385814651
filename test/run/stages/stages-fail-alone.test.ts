import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { acceptBundle } from "../../../src/features/certify/accept/accept-bundle.ts";
import { certifyRun } from "../../../src/features/certify/bundle/certify-run.ts";
import { makeKeys } from "../../features/certify/sample-bundle.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { run } from "../../../src/index.ts";
import { whyNotMeasured, NotMeasured } from "../../../src/run/not-measured.ts";
import { startReferenceProcess } from "../../../src/run/reference/reference-process.ts";
import { shortProfile } from "../../make/load/run-against.ts";

const outDir = mkdtempSync(join(tmpdir(), "assay-alone-"));
const deadly = join(outDir, "deadly.cjs");
beforeAll(() => writeFileSync(deadly, 'if (process.argv.includes("serve")) process.kill(process.pid, "SIGKILL");'));
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(outDir, { recursive: true, force: true }));

describe("a load stage whose service the system kills before it starts", () => {
  it("is not measured, and what the conformance stage judged stands and can be certified", async () => {
    const profile = shortProfile({ gates: ["errors == 0"] });
    const { result, folder } = await run({
      suites: ["models"],
      stages: ["conformance", "load"],
      profiles: [{ profile, trace: null }],
      outDir,
      onProgress: (event) => {
        if (event.kind === "run-started") vi.stubEnv("NODE_OPTIONS", `--require ${deadly}`);
      },
    });
    expect([result.verdict, result.exitCode]).toEqual(["invalid", 3]);
    expect(result.reason).toBe(
      "load could not be measured: the embedded reference service was ended by SIGKILL before it started",
    );
    expect(result.conformance?.suites.find(({ id }) => id === "models")?.verdict).toBe("conformant");
    expect(result.load).toBeNull();
    const written = JSON.parse(readFileSync(join(folder, "result.json"), "utf8")) as Result;
    expect([written.exitCode, written.conformance?.suites]).toEqual([3, result.conformance?.suites]);
    const key = makeKeys("ed25519");
    const [bundle, now] = [join(outDir, "bundle.tar"), new Date()];
    await certifyRun({ folder, out: bundle, key: key.signing, product: null, now });
    const accepted = await acceptBundle({
      path: bundle,
      keys: [key.trusted],
      policy: { verdict: "any", suites: ["models"], rejudged: true },
      challenge: null,
      commitments: null,
      rejudge: true,
      now,
    });
    const { verdict, gates, suites } = accepted.predicate;
    expect([verdict.exitCode, gates, suites.find(({ id }) => id === "models")?.verdict]).toEqual([3, [], "conformant"]);
    expect([accepted.rejudged === null, accepted.unmet]).toEqual([false, []]);
  });
});

describe("the reason why nothing was measured", () => {
  it("is that a child did not start within its bound, which no test of a busy machine reaches", async () => {
    const error: unknown = await startReferenceProcess({ latency: "instant", seed: 1, startTimeoutMs: 1 }).catch(
      (reason: unknown) => reason,
    );
    expect(whyNotMeasured(error)).toBe("the embedded reference service did not start within 0.001 s");
  });

  it("is what the system could not give, and no fault of ours", () => {
    const scarce = Object.assign(new Error("spawn node EAGAIN"), { code: "EAGAIN" });
    expect(whyNotMeasured(new Error("outer", { cause: scarce }))).toContain("EAGAIN");
    expect(whyNotMeasured(new NotMeasured("why"))).toBe("why");
    expect(whyNotMeasured(new TypeError("x is not a function"))).toBeNull();
    expect(whyNotMeasured("text")).toBeNull();
  });
});
