import { describe, expect, it } from "vitest";
import { allExamStages } from "../../../src/limits/probe/exam-stages.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { examineSwitch, type SwitchExam } from "../sockets/examine-switch.ts";

/** The verdict on changes of settings within a window; none where the windows do not show it. */
async function verdictOf(mutant: string | null, options: SwitchExam = {}): Promise<readonly string[]> {
  const one = mutant === null ? null : findSwitch(mutant);
  const { result } = await examineSwitch("burst", one, { time: "blind", stages: new Set(["burst.volley"]), ...options });
  const checks = result.policies.flatMap((policy) => policy.checks);
  return checks.flatMap(({ id, verdict }) => (id === "burst.change-empties-window" ? [verdict] : []));
}

describe("a change of settings within a window", () => {
  it("fails if it gives back what the window has counted", async () => {
    expect(await verdictOf("burst/change-empties-windows")).toEqual(["fail"]);
    expect(await verdictOf("burst/change-empties-windows", { exam: "full", stages: allExamStages })).toEqual(["fail"]);
  });

  it("fails in the default exam, too, where settings take a minute to take effect", async () => {
    const declare: SwitchExam["declare"] = (manifest) => ({ ...manifest, propagationSeconds: 60 });
    const stages = new Set(["burst.volley", "burst.one-by-one"] as const);
    expect(await verdictOf("burst/change-empties-windows", { declare, stages })).toEqual(["fail"]);
  });

  it.each([true, false])("is no use of the allowance that a queue let out (money may be spent: %s)", async (isPaid) => {
    const stages = new Set(["burst.volley"] as const);
    const { result } = await examineSwitch("burst", findSwitch("burst/queue"), { time: "blind", stages, isPaid });
    const checks = result.policies.flatMap((policy) => policy.checks);
    expect(
      checks.filter(({ verdict }) => verdict === "fail" || verdict === "advisory").map(({ id, message }) => `${id}: ${message}`),
    ).toEqual([]);
  });

  it("passes if the window goes on counting", async () => {
    expect(await verdictOf(null)).toEqual(["pass"]);
  });

  it.each([
    ["limits/fixed-first"],
    ["limits/sliding-log"],
    ["limits/sliding-counter"],
    ["limits/token-bucket"],
    ["limits/gcra"],
    ["limits/batch-refill"],
    ["limits/sliding-log-full-reset"],
    ["limits/remaining-late-read"],
    ["limits/remaining-before"],
    ["limits/remaining-rounded"],
    ["burst/queue"],
  ])("leaves nothing open at a lawful %s", async (variant) => {
    for (const seed of [1, 2, 3]) {
      const [verdict, ...others] = await verdictOf(null, { variants: [variant], seed });
      expect(["pass", "not-applicable"]).toContain(verdict);
      expect(others).toEqual([]);
    }
  });
});
