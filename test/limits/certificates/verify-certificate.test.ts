import { describe, expect, it } from "vitest";
import { runExam } from "../../make/run-exam.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { readHistory } from "../../../src/limits/history/history.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { tolerancesFor } from "../../../src/limits/history/tolerances.ts";
import type { ExamDepth } from "../../../src/limits/probe/probe-tools.ts";
import { verifyCertificate } from "../../../src/limits/certificates/verify-certificate.ts";
import { simulatedManifest } from "../simulation/exam.ts";
import { faultyLimiters } from "../simulation/faulty-limiters.ts";
import { serveRequests } from "../simulation/request-service.ts";
import { createSimulation } from "../simulation/simulator.ts";

const manifest = simulatedManifest(60);

async function record(id: string, exam: ExamDepth = "short"): Promise<readonly Exchange[]> {
  const mutant = faultyLimiters.find((limiter) => limiter.id === id)!;
  const simulation = createSimulation(11, serveRequests(mutant.create(60, 60_000)));
  await runExam({ manifest, ...simulation }, 1, { exam });
  return simulation.exchanges;
}

describe("certificates", () => {
  it.each([
    ["get-then-set", "short"],
    ["limit-minus-one", "short"],
    ["double-burst", "short"],
    ["reset-30s-late", "short"],
    ["retry-floor", "short"],
    ["double-count", "short"],
    ["bypass-by-query", "short"],
    ["never-resets", "short"],
    ["rejects-with-remaining", "short"],
    ["refreshed-by-traffic", "full"],
  ] as const)("of %s hold without the code that found them, and not against another history (%s exam)", async (id, exam) => {
    const exchanges = await record(id, exam);
    const { result } = judgeLimits({ exchanges, manifest, strict: false });
    const violations = result.policies.flatMap((policy) => policy.checks.filter((check) => check.tier === "violation"));
    expect(violations.length).toBeGreaterThan(0);
    const { ops } = readHistory(exchanges, tolerancesFor(manifest));
    for (const { certificate } of violations) {
      // One of them may rest on another key, which was used meanwhile.
      const cited = ops.find((op) => op.seq === certificate!.ops[0]!.seq)!;
      const own = ops.filter((op) => op.key === cited.key && op.endpoint === "models");
      expect(verifyCertificate(certificate!, own, 60_000)).toBeNull();
      // Everything admitted, nothing remaining, waits and labels in order: no accusation can survive this.
      const harmless = own.map((op) => ({
        ...op,
        outcome: "other" as const,
        status: 204,
        requests: { ...op.requests, remaining: 0, resetMs: 4_000_000_000_000, resetFormat: "unix-seconds" as const },
        retry: null,
        headerProblems: [],
      }));
      expect(verifyCertificate(certificate!, harmless, 60_000)).not.toBeNull();
    }
  });

  it("judges a saved history again to the same bytes, whatever the order of its lines", async () => {
    const exchanges = await record("three-instances");
    const judge = (lines: readonly Exchange[]): string =>
      JSON.stringify(judgeLimits({ exchanges: lines, manifest, strict: false }));
    const saved = JSON.parse(JSON.stringify(exchanges)) as readonly Exchange[];
    expect(judge(saved)).toBe(judge(exchanges));
    expect(judge(saved.toReversed())).toBe(judge(exchanges));
  });
});
