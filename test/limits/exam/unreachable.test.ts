import { describe, expect, it } from "vitest";
import { runExam } from "../../make/run-exam.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { planLimits } from "../../../src/limits/exam/plan-limits.ts";
import { whyUnreachable } from "../../../src/limits/probe/reach.ts";
import { simulatedManifest } from "../simulation/exam.ts";
import { serveRequests, type Limiter } from "../simulation/request-service.ts";
import { createSimulation } from "../simulation/simulator.ts";

const windowMs = 60_000;

/** Answers a limit of any size and counts down from it. */
const stating = (limit: number): Limiter => {
  const counters = new Map<string, number>();
  return (context, group, decide) => {
    const before = counters.get(group) ?? 0;
    const admitted = before < limit;
    const used = admitted ? before + 1 : before;
    counters.set(group, used);
    decide({ admitted, limit, remaining: limit - used, resetMs: context.now() + windowMs, retryMs: admitted ? 0 : windowMs });
  };
};

async function examineStating(
  limit: number,
): Promise<{ sent: number; minutes: number; reasons: readonly string[]; verdicts: readonly string[] }> {
  const base = simulatedManifest(60);
  // The manifest says nothing about the limit: what the service states is all there is.
  const manifest = { ...base, limits: { ...base.limits, requestsPerMinute: null }, control: null };
  const simulation = createSimulation(3, serveRequests(stating(limit)));
  const { notJudged } = await runExam({ manifest, ...simulation }, 3, { exam: "full" });
  const { result } = judgeLimits({ exchanges: simulation.exchanges, manifest, strict: false, notJudged });
  return {
    sent: simulation.exchanges.length,
    minutes: simulation.clock.nowMs() / 60_000,
    reasons: result.notJudged.map(({ reason }) => reason),
    verdicts: result.policies.map(({ verdict }) => verdict),
  };
}

describe("a limit that no exam can use up", () => {
  it.each([2_147_483_647, 1e9, 1e15, 20_000, 0])("of %d is said to be out of reach at once", async (limit) => {
    const { sent, minutes, reasons, verdicts } = await examineStating(limit);
    expect(reasons.filter((reason) => reason.startsWith(limit === 0 ? "a limit of 0" : "unreachable"))).toHaveLength(1);
    expect(sent).toBeLessThan(400);
    expect(minutes).toBeLessThan(1.5);
    expect(verdicts).not.toContain("pass");
    expect(verdicts).not.toContain("fail");
  });

  it.each([
    [60, 65, "unreachable: using up a limit of 60 takes 66 requests at least, at most 65 are sent"],
    [60, 66, null],
    [19_994, null, null],
    [19_995, null, "unreachable: using up a limit of 19995 takes 20001 requests at least, at most 20000 are sent"],
  ])("of %d with a budget of %s requests", (limit, maxRequests, reason) => {
    expect(whyUnreachable(limit, { budget: { maxRequests, maxTokens: null, maxCostUsd: null } })).toBe(reason);
  });

  it("of 1 is examined", async () => {
    const { sent, reasons } = await examineStating(1);
    expect(reasons.filter((reason) => reason.startsWith("unreachable"))).toEqual([]);
    expect(sent).toBeLessThan(400);
  });

  it.each([1e9, 1])("of %d is planned in bounded time and requests where the manifest declares it", async (limit) => {
    const manifest = { ...simulatedManifest(limit), control: null };
    const plan = await planLimits(manifest, "full");
    expect(plan.requests).toBeLessThan(400);
  });
});

describe("a wait that is longer than the exam", () => {
  it("is not waited for, and said", async () => {
    let used = 0;
    const slow: Limiter = (context, _group, decide) => {
      const admitted = used < 60;
      if (admitted) used += 1;
      decide({
        admitted,
        limit: 60,
        remaining: 60 - used,
        resetMs: context.now() + 3_600_000,
        retryMs: admitted ? 0 : 3_600_000,
      });
    };
    const simulation = createSimulation(3, serveRequests(slow));
    const { notJudged } = await runExam({ manifest: { ...simulatedManifest(60), control: null }, ...simulation }, 3);
    expect(simulation.clock.nowMs()).toBeLessThan(2 * windowMs);
    expect(notJudged.map(({ text }) => text).join()).toContain("says to wait 3600 s, longer than this exam waits (120 s)");
  });
});
