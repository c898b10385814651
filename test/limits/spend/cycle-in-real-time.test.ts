import { describe, expect, it } from "vitest";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { recordSwitch, type SwitchExam } from "../sockets/examine-switch.ts";

const minuteMs = 60_000;
/** The month of the reference service ends. */
const endMs = Date.UTC(2026, 10, 1);

interface Outcome {
  readonly early: string | undefined;
  readonly late: string | undefined;
  /** All that the exam has against the service. */
  readonly against: readonly string[];
  readonly left: readonly string[];
}

/** The exam of caps in the schedule of real time, begun so many minutes before the billing cycle ends. */
async function examine(minutes: number, id: string | null, options: SwitchExam = {}): Promise<Outcome> {
  const one = id === null ? null : findSwitch(id);
  const record = await recordSwitch("spend", one, { time: "blind", startMs: endMs - minutes * minuteMs, ...options });
  const { policies } = judgeLimits({ ...record, strict: false }).result;
  const checks = policies.flatMap((policy) => policy.checks);
  const verdictOf = (check: string): string | undefined => checks.find((other) => other.id === check)?.verdict;
  return {
    early: verdictOf("spend.cycle-early"),
    late: verdictOf("spend.cycle-not-reset"),
    against: checks.filter(({ verdict }) => verdict === "fail" || verdict === "advisory").map((check) => check.id),
    left: record.notJudged.flatMap(({ policy, text }) => (policy === "billing cycle" ? [text] : [])),
  };
}

describe("an exam of caps in real time, near the end of the billing cycle", () => {
  it("waits for an end that the refusals name within its time", async () => {
    for (const seed of [1, 2])
      expect(await examine(6, null, { seed })).toEqual({ early: "pass", late: "pass", against: [], left: [] });
  });

  it.each(["spend/no-cycle-reset", "spend/account-no-cycle-reset"])("fails %s", async (mutant) => {
    const found = await examine(6, mutant);
    expect(found).toEqual({ early: "pass", late: "fail", against: ["spend.cycle-not-reset"], left: [] });
  });

  it("does not blame a service for what others may have spent", async () => {
    const declare: SwitchExam["declare"] = (manifest) => ({ ...manifest, exclusive: false });
    expect(await examine(6, "spend/no-cycle-reset", { declare })).toMatchObject({ late: "inconclusive", against: [] });
  });

  it("says by name why it waits for no later end", async () => {
    const { late, against, left } = await examine(600, null);
    expect([late, against]).toEqual(["inconclusive", []]);
    expect(left).toEqual([
      expect.stringMatching(/^the refusals name the end of the cycle in 59\d\.\d min, and \d+\.\d min are left/),
    ]);
  });

  it.each(["spend/anniversary-cycle", "spend/account-first", "spend/after-crossing", "usage/report-lags"])(
    "accuses no lawful %s",
    async (variant) => {
      expect((await examine(6, variant)).against).toEqual([]);
    },
  );

  it.each(["spend/retry-after-seconds", "spend/retry-after-one-minute"])(
    "visits no end that a wrong wait names (%s)",
    async (mutant) => {
      const { against, left } = await examine(12 * 24 * 60, mutant);
      expect(against).toEqual(["spend.wait-untrue"]);
      expect(left).toHaveLength(1);
    },
  );
});
