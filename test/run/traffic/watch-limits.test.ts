import { describe, expect, it } from "vitest";
import { redactManifest } from "../../../src/config/redact-manifest.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { createLimitMonitor } from "../../../src/limits/traffic/limit-monitor.ts";
import { readLimitFigures } from "../../../src/limits/traffic/traffic-judgement.ts";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import { startLimitJudge } from "../../../src/run/traffic/start-limit-judge.ts";
import { watchLimits } from "../../../src/run/traffic/watch-limits.ts";
import { readOp } from "../../../src/limits/history/history.ts";
import { simulatedManifest } from "../../limits/simulation/exam.ts";
import { faultyLimiters } from "../../limits/simulation/faulty-limiters.ts";
import { loadRequests } from "../../limits/simulation/load-requests.ts";
import { serveRequests } from "../../limits/simulation/request-service.ts";
import { createSimulation } from "../../limits/simulation/simulator.ts";

const limit = 60;
const manifest = { ...simulatedManifest(limit), control: null };

async function record(rounds: number): Promise<readonly Exchange[]> {
  const leaking = faultyLimiters.find(({ id }) => id === "lost-increments")!.create(limit, 60_000);
  const simulation = createSimulation(3, serveRequests(leaking));
  for (let round = 0; round < rounds; round += 1) {
    await simulation.sender.burst(loadRequests(20));
    await simulation.clock.sleep(9_700);
  }
  return simulation.exchanges;
}

describe("the limit checks over a load profile", () => {
  it.each([
    ["a few hundred requests", 20],
    ["more than a thread of its own is started for", 250],
  ])("say of %s what a monitor in this thread says", async (_title, rounds) => {
    const exchanges = await record(rounds);
    const monitor = createLimitMonitor({ manifest: redactManifest(manifest), strict: false });
    const ops = exchanges.map(readOp).filter((op) => op !== null);
    for (const op of ops) monitor.add(op);
    const judgement = monitor.finish();
    const watch = watchLimits("soak", manifest, false);
    for (const op of ops) watch.onOp(op);
    const { findings: reported, checks, figures } = watch.finish();
    const failed = judgement.findings.filter(({ verdict }) => verdict === "fail");
    expect(reported.map(({ message }) => message)).toEqual(failed.map(({ message }) => `under load soak: ${message}`));
    expect(failed.length).toBeGreaterThan(0);
    // The result lists the checks that decided the gates, and those that could not be judged.
    const wrong = checks.filter(({ verdict }) => verdict === "fail").map(({ message }) => message);
    expect(wrong.filter((message) => !failed.some((finding) => finding.message.endsWith(message)))).toEqual([]);
    expect(wrong).toHaveLength(failed.length);
    expect(checks).toHaveLength(judgement.result.policies.reduce((sum, policy) => sum + policy.checks.length, 0));
    expect(new Set(checks.map(({ kind }) => kind))).toEqual(new Set(["requests"]));
    expect(figures.violations).toBe(failed.length);
    expect(figures.over_admission).toBe(readLimitFigures(judgement).over_admission);
  });

  it("hands the whole judgement over from the thread, and none twice", async () => {
    const exchanges = await record(120);
    const monitor = createLimitMonitor({ manifest: redactManifest(manifest), strict: true });
    const judge = startLimitJudge({ manifest: redactManifest(manifest), strict: true });
    const ops = exchanges.map(readOp).filter((op) => op !== null);
    for (const op of ops) monitor.add(op);
    for (let from = 0; from < ops.length; from += 100) judge.take(ops.slice(from, from + 100));
    expect(judge.finish()).toEqual(monitor.finish());
  });

  it("throws what went wrong in the thread instead of passing", () => {
    const judge = startLimitJudge({ manifest: redactManifest(manifest), strict: false });
    const broken = [null as unknown as LimitOp];
    expect(() => {
      judge.take(broken);
      judge.finish();
    }).toThrow(/null/u);
  });
});
