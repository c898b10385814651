import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { run, startReferenceService, type Result } from "../../src/index.ts";
import { keep } from "../make/keep.ts";

const hourMs = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), "assay-jumps-"));
/** The clock of the machine is set by that much when the run has sent its first requests. */
function setClockBy(byMs: number): { jump(): void } {
  const now = Date.now.bind(Date);
  let setMs = 0;
  vi.spyOn(Date, "now").mockImplementation(() => now() + setMs);
  return {
    jump: () => {
      setMs = byMs;
    },
  };
}

/** `onSending` hears of the begin of sending. */
async function runAll(
  onSending: () => void,
): Promise<{ readonly result: Result; readonly record: Readonly<Record<string, unknown>> }> {
  const service = keep(await startReferenceService({ seed: 4 }));
  const { result, folder: kept } = await run({
    manifest: service.manifest,
    suites: ["models"],
    stages: ["conformance", "limits"],
    outDir: folder,
    seed: 7,
    onProgress: ({ kind }) => {
      if (kind === "run-started") onSending();
    },
  });
  return { result, record: JSON.parse(readFileSync(join(kept, "run.json"), "utf8")) as Record<string, unknown> };
}

function verdictsOf({ verdict, conformance, limits }: Result) {
  return {
    verdict,
    requirements: conformance?.requirements.map(({ id, verdict: one }) => [id, one]),
    checks: limits?.policies.flatMap(({ checks }) => checks.map(({ id, verdict: one }) => [id, one])),
  };
}

/** Every member that is a length of time. */
function lengthsIn(value: unknown, member = ""): readonly number[] {
  if (typeof value === "number") return /(?:duration|latency|elapsed|took)\w*Ms$/i.test(member) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => lengthsIn(inner, Array.isArray(value) ? member : name));
}

describe("a clock that is set during a run", () => {
  afterEach(() => vi.restoreAllMocks());

  it("moves no verdict and no length of time, and health has the jump", async () => {
    const calm = await runAll(() => undefined);
    expect(calm.result.health.clockJumps).toBeUndefined();
    for (const byMs of [-hourMs, hourMs]) {
      const clock = setClockBy(byMs);
      const { result, record } = await runAll(() => clock.jump());
      vi.restoreAllMocks();
      expect(verdictsOf(result)).toEqual(verdictsOf(calm.result));
      expect(result.health.clockJumps?.map((one) => Math.round(one.byMs / 1000))).toEqual([byMs / 1000]);
      const lengths = lengthsIn([result, record]);
      expect(lengths.length).toBeGreaterThan(1);
      expect(Math.min(...lengths)).toBeGreaterThanOrEqual(0);
      expect(result.durationMs).toBeLessThan(hourMs / 2);
    }
  });
});
