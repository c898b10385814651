import { describe, expect, it } from "vitest";
import { momentsOf } from "../../../src/core/exchange/moments.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { recordSwitch, type SwitchExam } from "../sockets/examine-switch.ts";

/** Two windows and the longest wait that the exam is promised. */
const mostSeconds = 2 * 60 + 65;

/** The exam of the key that queues, in the schedule of real time: verdicts of the checks whose ids match, and how long it took. */
async function examineQueue(
  mutant: string | null,
  options: SwitchExam = {},
  ids = /^queue\.re/,
): Promise<{ readonly verdicts: readonly string[]; readonly seconds: number }> {
  const one = mutant === null ? null : findSwitch(mutant);
  const record = await recordSwitch("burst", one, { time: "blind", stages: new Set(["burst.queue"]), ...options });
  const { policies } = judgeLimits({ ...record, strict: false }).result;
  const checks = policies.flatMap((policy) => policy.checks);
  const moments = record.exchanges.map(momentsOf);
  const fromMs = Math.min(...moments.map(({ sent }) => sent.earliestMs));
  const untilMs = Math.max(...moments.map(({ ended }) => ended.latestMs));
  return {
    verdicts: checks.flatMap(({ id, verdict }) => (ids.test(id) ? [`${id} ${verdict}`] : [])),
    seconds: (untilMs - fromMs) / 1000,
  };
}

describe("the moment at which a queue lets out", () => {
  it.each([
    [[]],
    [["burst/queue-lifo"]],
    [["burst/clock-minute"]],
    [["burst/first-request-minute"]],
    [["burst/refilling"]],
    [["burst/cooldown-from-excess"]],
    [["burst/allowance-not-restored"]],
    [["burst/queue-lifo", "burst/refilling", "burst/allowance-not-restored"]],
  ])("passes with more requests than fit: %j", async (variants) => {
    for (const seed of [1, 2, 3]) {
      const { verdicts, seconds } = await examineQueue(null, { variants, seed });
      expect(verdicts).toEqual(["queue.request-lost pass", "queue.released-late pass", "queue.released-at-once pass"]);
      expect(seconds).toBeLessThan(mostSeconds);
    }
  });

  it.each([
    ["burst/queue-waits-twice", "queue.released-late fail"],
    ["burst/cooldown-double", "queue.released-late fail"],
    ["burst/queue-releases-all", "queue.released-at-once advisory"],
    ["burst/queue-drops", "queue.request-lost fail"],
  ])("%s is found within the time of the exam", async (mutant, verdict) => {
    const { verdicts, seconds } = await examineQueue(mutant);
    expect(verdicts).toContain(verdict);
    expect(seconds).toBeLessThan(mostSeconds);
  });

  it("takes what comes out too early for no release", async () => {
    const { verdicts } = await examineQueue("burst/queue-leaks-early", {}, /over-admission|released/);
    expect(verdicts).toContain("burst.over-admission fail");
    expect(verdicts.filter((verdict) => / (advisory|fail)$/.test(verdict))).toEqual(["burst.over-admission fail"]);
  });

  it("finds a mixture of queueing and refusals", async () => {
    const { verdicts } = await examineQueue("burst/mixed-preference", {}, /^queue/);
    expect(verdicts).toContain("queue.mixed-with-refusals advisory");
  });
});
