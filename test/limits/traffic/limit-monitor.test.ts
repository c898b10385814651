import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { readOp } from "../../../src/limits/history/history.ts";
import { createLimitMonitor } from "../../../src/limits/traffic/limit-monitor.ts";
import { readLimitFigures } from "../../../src/limits/traffic/traffic-judgement.ts";
import { isWhole } from "../../make/runner/sample.ts";
import { simulatedManifest } from "../simulation/exam.ts";
import { lawfulLimiters } from "../simulation/lawful-limiters.ts";
import { loadRequests } from "../simulation/load-requests.ts";
import { serveRequests, type Limiter } from "../simulation/request-service.ts";
import { createSimulation } from "../simulation/simulator.ts";

const limit = 60;

/** Bursts of twelve almost every ten seconds for many windows: somewhat more than the limit allows. */
async function soak(limiter: Limiter, rounds: number, burst = 12): Promise<readonly Exchange[]> {
  const simulation = createSimulation(5, serveRequests(limiter));
  for (let round = 0; round < rounds; round += 1) {
    await simulation.sender.burst(loadRequests(burst));
    await simulation.clock.sleep(9_700);
  }
  return simulation.exchanges;
}

function judge(exchanges: readonly Exchange[]): readonly string[] {
  const monitor = createLimitMonitor({ manifest: simulatedManifest(limit), strict: false });
  for (const op of exchanges.map(readOp).filter((op) => op !== null)) monitor.add(op);
  return monitor.finish().findings.map((finding) => `${finding.verdict} ${finding.check}`);
}

function withDate(exchange: Exchange, laterSeconds: number): Exchange {
  const { response } = exchange;
  if (response === null) return exchange;
  const headers = response.headers.map(([name, value]): readonly [string, string] =>
    name === "date" ? [name, new Date(Date.parse(value) + 1000 * laterSeconds).toUTCString()] : [name, value],
  );
  return { ...exchange, response: { ...response, headers } };
}

describe("limits under load", () => {
  it.each(lawfulLimiters.filter(({ id }) => id !== "sliding-counter-clear"))("$id passes a soak", async (lawful) => {
    expect(
      judge(await soak(lawful.create(limit, 60_000), isWhole ? 300 : 100)).filter((finding) => finding.startsWith("fail")),
    ).toEqual([]);
  });

  // Windows and resets may follow another clock than the one that writes Date: which of them is right nobody can tell.
  it.each([-90, 90])("passes lawful limiters whose Date is %i s off", async (seconds) => {
    for (const id of ["fixed-aligned", "sliding-log", "gcra"]) {
      const exchanges = await soak(lawfulLimiters.find((one) => one.id === id)!.create(limit, 60_000), 60);
      const failing = judge(exchanges.map((exchange) => withDate(exchange, seconds))).filter((reported) =>
        reported.startsWith("fail"),
      );
      expect([id, ...failing]).toEqual([id]);
    }
  });

  it("concludes nothing about an excess from traffic that never came near the limit", async () => {
    const lawful = lawfulLimiters.find(({ id }) => id === "fixed-aligned")!;
    const monitor = createLimitMonitor({ manifest: simulatedManifest(limit), strict: false });
    const exchanges = await soak(lawful.create(limit, 60_000), 100, 2);
    for (const op of exchanges.map(readOp).filter((op) => op !== null)) monitor.add(op);
    const judgement = monitor.finish();
    const over = judgement.result.policies[0]?.checks.find(({ id }) => id === "limits.over-admission");
    expect([over?.verdict, over?.message]).toEqual([
      "inconclusive",
      "at most 14 requests were sent within a window and none was rejected: an excess over 60 could not have been seen",
    ]);
    expect(readLimitFigures(judgement).over_admission).toBeNull();
  });

  it("finds the one window in twenty-five in which a limiter admits a few requests too many", async () => {
    const inner = lawfulLimiters.find(({ id }) => id === "fixed-aligned")!.create(limit, 60_000);
    let refused = 0;
    const leaking: Limiter = (context, group, decide) =>
      inner(context, group, (decision) => {
        refused += decision.admitted ? 0 : 1;
        const leak = !decision.admitted && refused % 300 < 8;
        decide(leak ? { ...decision, admitted: true } : decision);
      });
    const exchanges = await soak(leaking, 300);
    expect(judge(exchanges)).toContain("fail limits.over-admission");
  });
});
