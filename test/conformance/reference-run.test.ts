import { beforeAll, describe, expect, it } from "vitest";
import { examineHealthy } from "./examine-healthy.ts";
import type { Examined } from "./examine-reference.ts";

/** Rows that only the limits stage and its fixtures can judge; the last three are about spending up to a cap that was set. */
const otherStages = /^(?:RATE|BURST|SPEND)-|^(?:KEY-011|ACC-004|ACC-005)$/;

describe("the reference service", () => {
  let examined: Examined;

  beforeAll(async () => {
    examined = await examineHealthy();
  });

  it("is reached and examined with hundreds of requests", () => {
    expect(examined.run.refusal).toBeNull();
    expect([...examined.run.unfinished]).toEqual([]);
    expect(examined.exchanges.length).toBeGreaterThan(300);
  });

  it("passes without a finding", () => {
    expect(examined.findings.map((one) => `${one.requirement} ${one.verdict}: ${one.message}`)).toEqual([]);
  });

  it("leaves no suite of this stage non-conformant", () => {
    expect(examined.result.suites.filter((suite) => suite.verdict === "non-conformant").map((suite) => suite.id)).toEqual([]);
  });

  it("is examined with at most 1,200 requests", () => {
    expect(examined.exchanges.length).toBeLessThanOrEqual(1200);
  });

  it("takes the time that its plan says, within 20 % and a wait, and at least three quarters of the requests", () => {
    const { exchanges, plan } = examined;
    const sentMs = Math.min(...exchanges.map(({ timing }) => timing.sentMs));
    const minutes = (Math.max(...exchanges.map(({ timing }) => timing.endMs)) - sentMs) / 60_000;
    // Only waits take time on this clock. The longest two overlap or follow each other, as the order of answers has it.
    const longestWaitMinutes = 65 / 60;
    expect(minutes, `${minutes} of ${plan.cost.minutes} minutes`).toBeGreaterThan(0.8 * plan.cost.minutes);
    expect(minutes, `${minutes} of ${plan.cost.minutes} minutes`).toBeLessThan(1.2 * plan.cost.minutes + longestWaitMinutes);
    // A few cases plan for targets that show late what was set, or state windows alike.
    expect(exchanges.length / plan.cost.requests).toBeGreaterThan(0.75);
    expect(exchanges.length).toBeLessThanOrEqual(plan.cost.requests);
  });

  it("has no doubtful row", () => {
    const doubtful = examined.result.requirements.filter((row) => row.verdict === "inconclusive" && !otherStages.test(row.id));
    expect(doubtful.map((row) => `${row.id}: ${row.reason}`)).toEqual([]);
  });

  it("sends no request that it did not plan for", () => {
    expect(examined.exchanges.filter((one) => one.attempt > 1).map((one) => `${one.caseId} ${one.label}`)).toEqual([]);
    expect(examined.exchanges.length).toBeLessThanOrEqual(examined.plan.cost.requests + 2);
  });
});
