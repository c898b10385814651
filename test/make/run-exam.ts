import { createRandom } from "../../src/core/random.ts";
import type { LimitsPlan } from "../../src/limits/exam/plan-limits.ts";
import type { ProbeOptions } from "../../src/limits/exam/probe-tools.ts";
import { runLimits, type LimitsRun } from "../../src/limits/exam/run-limits.ts";

type Target = Pick<ProbeOptions, "manifest" | "sender" | "clock">;

/** An exam by this seed; without options a short one, whose progress and changed settings nobody hears of. */
export function runExam(
  target: Target,
  seed: number,
  options: Partial<ProbeOptions> = {},
  plan?: LimitsPlan,
): Promise<LimitsRun> {
  const nobody = { onProgress: () => undefined, journal: { record: () => undefined, complete: () => undefined } };
  const { manifest, sender, clock } = target;
  const { signal } = new AbortController();
  return runLimits({ exam: "short", signal, random: createRandom(seed), ...nobody, manifest, sender, clock, ...options }, plan);
}
