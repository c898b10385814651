import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readRun, run, startReferenceService } from "../../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-clock-"));
const profile = join(folder, "moment.yaml");
writeFileSync(
  profile,
  `id: moment
title: A moment of chat
description: Enough answers to stand beside those of the stage before.
arrivals: { kind: constant, ratePerSecond: 8 }
durationSeconds: 1
workload:
  - endpoint: chat
`,
);

describe("the stages of a run against a target in real time", async () => {
  const service = await startReferenceService({ seed: 9 });
  afterAll(() => service.close());

  it("are recorded on one clock, so that a later stage is later", async () => {
    const { manifest } = service;
    const request = { suites: ["models"], profiles: [profile], outDir: folder, stages: ["conformance", "load"] } as const;
    const done = await run({ manifest: { ...manifest, control: null }, ...request });
    const { exchanges } = await readRun(done.folder);
    const before = exchanges.filter(({ stage }) => stage === "conformance").map(({ timing }) => timing.endMs);
    const after = exchanges.filter(({ stage }) => stage === "load").map(({ timing }) => timing.sentMs);
    expect([before.length > 0, after.length > 0]).toEqual([true, true]);
    expect(Math.min(...after)).toBeGreaterThan(Math.max(...before));
    expect(done.result.findings.filter(({ requirement }) => requirement === "RATE-038")).toEqual([]);
  });
});
