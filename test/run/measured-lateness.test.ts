import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { run, startReferenceService } from "../../src/index.ts";
import { keep } from "../make/keep.ts";
import { holdThread } from "../make/hold-thread.ts";

const outDir = mkdtempSync(join(tmpdir(), "assay-lateness-"));
const heldMs = 400;

it.each(["conformance", "limits"] as const)(
  "the delay of the loop is measured in %s, and is part of each exchange",
  async (stage) => {
    let isHeld = false;
    const service = keep(await startReferenceService({ seed: 4 }));
    const { result, folder } = await run({
      manifest: service.manifest,
      ...(stage === "conformance" ? { suites: ["models"] as const } : {}),
      stages: [stage],
      outDir,
      seed: 7,
      onProgress: ({ kind }) => {
        if (kind === "answered" && !isHeld) setImmediate(holdThread, heldMs);
        isHeld ||= kind === "answered";
      },
    });
    expect(result.health.loopDelayMaxMs).toBeGreaterThan(heldMs / 2);
    const lines = readFileSync(join(folder, "evidence.ndjson"), "utf8").trim().split("\n");
    const late = lines.flatMap((line) => {
      const { timing, response } = JSON.parse(line) as Partial<Exchange>;
      return timing === undefined || response === null ? [] : [timing.lateMs];
    });
    expect(late).not.toContain(undefined);
    expect(Math.max(...late.map((lateMs) => lateMs ?? 0))).toBeGreaterThan(heldMs / 2);
  },
);
