import type { Manifest } from "../../src/core/manifest.ts";
import { createRandom } from "../../src/core/random.ts";
import { planLimits, type LimitsPlan } from "../../src/limits/exam/plan-limits.ts";
import type { ExamDepth, ProbeOptions } from "../../src/limits/probe/probe-tools.ts";
import { runLimits, type LimitsRun } from "../../src/limits/exam/run-limits.ts";

type Target = Pick<ProbeOptions, "manifest" | "sender" | "clock">;

/** An exam by this seed; without options a short one, whose progress and changed settings nobody hears of. */
export async function runExam(
  target: Target,
  seed: number,
  options: Partial<ProbeOptions> = {},
  plan?: LimitsPlan,
): Promise<LimitsRun> {
  const nobody = { onProgress: () => undefined, journal: { record: () => undefined, complete: () => undefined } };
  const { manifest, sender, clock } = target;
  const { signal } = new AbortController();
  const all = { exam: "short" as const, signal, random: createRandom(seed), ...nobody, manifest, sender, clock, ...options };
  return runLimits(all, plan ?? (await planOnce(all.manifest, all.exam)));
}

const plans = new Map<string, Promise<LimitsPlan>>();
/** Members of a manifest that a plan does not depend on. */
const ownOfTarget: ReadonlySet<string> = new Set(["baseUrl", "url", "token", "secret"]);

/** Making a plan takes as long as an exam of a simulated target: targets of which the same is declared share it. */
function planOnce(manifest: Manifest, exam: ExamDepth): Promise<LimitsPlan> {
  const facts = JSON.stringify([exam, manifest], (member, value: unknown) => (ownOfTarget.has(member) ? null : value));
  const known = plans.get(facts);
  if (known !== undefined) return known;
  const made = planLimits(manifest, exam);
  plans.set(facts, made);
  return made;
}
