/**
 * The plan of both exams against what they send, for every lawful personality: nothing is declared of how it counts, and the plan is made
 * by two answers of the service, as in a run. All exams of the reference manifest on a clock that is moved by hand, with the schedule of
 * real time. Arguments: exams, default both.
 */
import { setMaxListeners } from "node:events";
import { runExam } from "../../test/make/run-exam.ts";
import { askLimiter } from "../../src/limits/exam/ask-limiter.ts";
import { planLimits } from "../../src/limits/exam/plan-limits.ts";
import type { ExamDepth } from "../../src/limits/probe/probe-tools.ts";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { createHandClock } from "../../test/limits/sockets/hand-clock.ts";
import { workingDayMs } from "../../test/make/working-day.ts";
import { limitPersonalities } from "./personalities.ts";

const exams = process.argv.slice(2).length > 0 ? (process.argv.slice(2) as ExamDepth[]) : (["short", "full"] as const);
console.log(
  "| personality | exam | seen | planned requests, minutes | sent | requests | minutes |\n|---|---|---|---|---|--:|--:|",
);
for (const { name, variants } of limitPersonalities) {
  for (const exam of exams) {
    const service = await startReferenceService({ clock: { kind: "manual", startMs: workingDayMs + 13_000 }, seed: 7, variants });
    const hand = createHandClock(service.engine.clock);
    const queueing = variants.includes("burst/queue") ? "queue" : service.manifest.limits.queueing;
    const declared = { ...service.manifest, control: null };
    const manifest = { ...declared, limits: { ...declared.limits, algorithm: null, queueing } } as const;
    let sent = 0;
    const wire = createWire({ manifest, clock: hand, onExchange: () => (sent += 1) });
    const sender = hand.watch(wire);
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    const seen = await askLimiter(manifest, { sender, clock: hand, signal });
    const plan = await planLimits(manifest, exam, { seen });
    const startedMs = hand.nowMs();
    const askedBefore = sent;
    const { stopped } = await runExam({ manifest, sender, clock: hand }, 7, { exam, signal }, plan);
    sent -= askedBefore;
    const minutes = (hand.nowMs() - startedMs) / 60_000;
    await wire.close();
    await service.close();
    const off = (planned: number, was: number): string => `${(100 * (planned / was - 1)).toFixed(0)} %`;
    const cells = [
      name,
      exam,
      seen === null ? "nothing" : seen.counts.kind === "windows" ? "windows" : `bucket of ${seen.counts.holds}`,
      `${plan.requests}, ${plan.minutes}`,
      `${sent}, ${minutes.toFixed(1)}${stopped === null ? "" : ` (${stopped})`}`,
      off(plan.requests, sent),
      off(plan.minutes, minutes),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
