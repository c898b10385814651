import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { whyNotMeasured } from "../../../src/run/not-measured.ts";
import { startReferenceProcess } from "../../../src/run/reference/reference-process.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-late-"));
const gate = join(folder, "go");
const slow = join(folder, "slow.cjs");
writeFileSync(
  slow,
  `const { existsSync } = require("node:fs");
const cell = new Int32Array(new SharedArrayBuffer(4));
if (process.argv.includes("serve")) while (!existsSync(${JSON.stringify(gate)})) Atomics.wait(cell, 0, 0, 20);`,
);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.stubEnv("NODE_OPTIONS", `--require ${slow}`);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(gate, { force: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("a service that starts after nearly two minutes is waited for", async () => {
  const starting = startReferenceProcess({ latency: "instant", seed: 1 });
  vi.advanceTimersByTime(115_000);
  writeFileSync(gate, "");
  const service = await starting;
  expect(service.manifest.target.baseUrl).toContain("http://127.0.0.1:");
  await service.close();
});

it("a service that never starts is given up after two minutes, and the run says that it could not measure", async () => {
  const starting = startReferenceProcess({ latency: "instant", seed: 1 }).catch((reason: unknown) => reason);
  vi.advanceTimersByTime(121_000);
  expect(whyNotMeasured(await starting)).toBe("the embedded reference service did not start within 120 s");
  expect(existsSync(gate)).toBe(false);
});
