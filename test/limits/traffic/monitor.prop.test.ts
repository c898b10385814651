import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Random } from "../../../src/core/random.ts";
import type { LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import { readOp } from "../../../src/limits/history/history.ts";
import { createLimitMonitor } from "../../../src/limits/traffic/limit-monitor.ts";
import { readLimitFigures } from "../../../src/limits/traffic/traffic-judgement.ts";
import { simulatedManifest } from "../simulation/exam.ts";
import { lawfulLimiters } from "../simulation/lawful-limiters.ts";
import { loadRequests } from "../simulation/load-requests.ts";
import { serveRequests, type Limiter } from "../simulation/request-service.ts";
import { createSimulation, type Simulation } from "../simulation/simulator.ts";
import { watchLawfulLimiters } from "../simulation/watch-lawful-limiters.ts";

const limit = 60;
const windowMs = 60_000;

/** Bursts at 0.5 to 2 times the allowed rate, with pauses of several windows now and then. */
async function drive({ sender, clock }: Simulation, random: Random, requests: number): Promise<void> {
  const size = random.integer(1, 20);
  const gapMs = (size * windowMs * (0.5 + random.next())) / limit;
  for (let sent = 0; sent < requests; sent += size) {
    await sender.burst(loadRequests(size));
    await clock.sleep(gapMs * (0.5 + random.next()));
    if (random.next() < 0.02) await clock.sleep(2.2 * windowMs);
  }
}

/** Fed as a load engine feeds it: in the order in which requests end. */
function monitor(exchanges: readonly Exchange[], past: { readonly knownFromMs?: number } = {}): LimitsJudgement {
  const watching = createLimitMonitor({ manifest: { ...simulatedManifest(limit), control: null }, strict: false, ...past });
  const ended = exchanges.toSorted((a, b) => a.timing.endMs - b.timing.endMs);
  for (const op of ended.map(readOp).filter((one) => one !== null)) watching.add(op);
  return watching.finish();
}

describe("the limit monitor", () => {
  it("accuses no lawful limiter under any disturbance, whatever came before it began to watch", async () => {
    const watched = watchLawfulLimiters({
      limit,
      windowMs,
      numRuns: 80,
      drive: (simulation, random) => drive(simulation, random, 400),
      expectLawful(seen, title) {
        const judgement = monitor(seen);
        const accusing = judgement.findings.filter(({ verdict }) => verdict === "fail");
        expect(accusing.map(({ check, message }) => `${title}: ${check} ${message}`)).toEqual([]);
        expect(readLimitFigures(judgement).violations).toBe(0);
      },
    });
    await expect(watched).resolves.toBeUndefined();
  });

  // The label beside the last slot was once taken for the promise of a renewal.
  it.each([
    ["advises about a label that names the present beside the last slot", 0, "advisory"],
    ["fails a label that lay ahead and brought nothing", 20_000, "fail"],
  ] as const)("%s", async (_title, aheadMs, verdict) => {
    const inner = lawfulLimiters.find(({ id }) => id === "sliding-log-label-now")!.create(limit, windowMs);
    const labelled: Limiter = (context, group, decide) =>
      inner(context, group, (decision) =>
        decide(decision.admitted ? { ...decision, resetMs: decision.resetMs + aheadMs } : decision),
      );
    const simulation = createSimulation(4, serveRequests(labelled));
    await simulation.sender.burst(loadRequests(limit - 1));
    await simulation.clock.sleep(5000);
    await simulation.sender.burst(loadRequests(1));
    await simulation.clock.sleep(aheadMs + 6000);
    await simulation.sender.burst(loadRequests(1));
    expect(simulation.exchanges.map(({ response }) => response?.status).slice(-2)).toEqual([200, 429]);
    // Nothing was sent before: a sliding counter has nothing to carry over the label.
    const reported = monitor(simulation.exchanges, { knownFromMs: -3 * windowMs }).findings.map((finding) => [
      finding.check,
      finding.verdict,
    ]);
    expect(reported.filter(([, kind]) => kind === "fail" || kind === "advisory")).toContainEqual([
      "limits.reset-not-kept",
      verdict,
    ]);
    if (verdict === "advisory") expect(reported.filter(([, kind]) => kind === "fail")).toEqual([]);
  });

  it("finds a limiter that lets one request too many in once an hour", async () => {
    for (const id of ["fixed-aligned", "fixed-from-first"]) {
      const inner = lawfulLimiters.find((limiter) => limiter.id === id)!.create(limit, windowMs);
      let leakedMs = 0;
      let leaks = 0;
      const leaking: Limiter = (context, group, decide) =>
        inner(context, group, (decision) => {
          leakedMs ||= context.now();
          const leak = !decision.admitted && context.now() - leakedMs > 3_600_000;
          if (leak) leakedMs = context.now();
          if (leak) leaks += 1;
          decide(leak ? { ...decision, admitted: true } : decision);
        });
      const simulation = createSimulation(9, serveRequests(leaking));
      while (simulation.clock.nowMs() < 2.2 * 3_600_000) {
        await simulation.sender.burst(loadRequests(4));
        await simulation.clock.sleep(3300);
      }
      const judgement = monitor(simulation.exchanges);
      expect([id, leaks]).toEqual([id, 2]);
      const failed = judgement.findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check);
      expect([
        id,
        failed.filter((check) => check === "limits.over-admission" || check === "limits.lost-updates").length > 0,
        failed,
      ]).toEqual([id, true, failed]);
      expect(readLimitFigures(judgement).violations).toBe(failed.length);
    }
  });

  it("counts how many a limit lets in that it should not, and says nothing where nothing could be seen", async () => {
    const everyone: Limiter = (context, _group, decide) =>
      decide({ admitted: true, limit, remaining: limit - 1, resetMs: context.now() + windowMs, retryMs: 0 });
    const open = createSimulation(3, serveRequests(everyone));
    for (let round = 0; round < 20; round += 1) {
      await open.sender.burst(loadRequests(12));
      await open.clock.sleep(500);
    }
    const flooded = monitor(open.exchanges);
    // 240 within ten seconds; two windows of any kind hold 120.
    expect(readLimitFigures(flooded).over_admission).toBeGreaterThan(0);
    expect(readLimitFigures(flooded).over_admission).toBeLessThanOrEqual(120);
    expect(readLimitFigures(flooded).violations).toBeGreaterThan(0);

    const quiet = monitor(open.exchanges.slice(0, 30));
    expect(readLimitFigures(quiet).over_admission).toBeNull();
    expect(readLimitFigures(quiet).violations).toBeNull();
    const policies = flooded.result.policies.map((policy) => ({
      ...policy,
      checks: policy.checks.map((check) => ({ ...check, verdict: "not-applicable" as const })),
    }));
    const inapplicable = readLimitFigures({ ...flooded, result: { ...flooded.result, policies } });
    expect(inapplicable).toEqual({ over_admission: null, violations: null });
  });
});
