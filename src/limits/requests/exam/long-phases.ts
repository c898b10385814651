import type { LimitPhases } from "../../../core/exchange/limit-phase.ts";
import type { LimitOp } from "../../history/op.ts";
import type { ExamRequest } from "../../probe/exam-request.ts";
import type { ProbeTools } from "../../probe/probe-tools.ts";
import { separateSurvivors } from "../../identify/separate-survivors.ts";
import { afterWaitMs, drain, roundSize, serviceNow, silenceMs } from "../../probe/schedule-steps.ts";

type Phase = LimitPhases["requests"];

/** Requests that remain when the contested burst comes. */
const contestedSlots = 3;

/**
 * The last slots of an allowance that is otherwise known, all wanted at once: after two silent windows it is used up to the
 * last three, and after a pause that shows what refills, many times as many arrive together. A limiter that checks first and
 * counts later admits more of them than remain.
 */
export async function contestLastSlots(tools: ProbeTools, probe: ExamRequest, limit: number): Promise<void> {
  tools.enter("N: the last requests of a window wanted at once");
  // The drain before it began with a window: so much later the window of the clock is some seconds old.
  await tools.sleep(silenceMs(tools) + 4000, "two quiet windows");
  const first = await tools.send(probe);
  const waitMs = untilAged(tools, first);
  if (waitMs > 0) {
    await tools.sleep(waitMs, "two quiet windows, and a window that is some seconds old");
    await tools.send(probe);
  }
  await tools.sleep(afterWaitMs + 50, "every instance is in this window");
  const most = limit - 1 - contestedSlots;
  // A bucket that holds less than the limit refuses before that; the rest is then no contest.
  for (let sent = 0; sent < most; sent += 60) {
    const ops = await tools.burst(probe, Math.min(60, most - sent));
    if (ops.some((op) => op.outcome === "rejected")) break;
  }
  await tools.sleep(3300, "a pause shows whether the allowance refills");
  await tools.burst(probe, roundSize);
}

/**
 * How long to wait until a window of the clock is five seconds old and two windows were silent; 0 where it is old enough and leaves
 * time for the contest, or where windows are not of the clock. A request of the first seconds may have been decided in the window before.
 */
function untilAged(tools: ProbeTools, op: LimitOp): number {
  const { windowMs } = tools;
  const { resetMs } = op.requests;
  if (resetMs === null || resetMs % windowMs !== 0) return 0;
  const leftMs = resetMs - serviceNow(tools, op);
  const isAged = leftMs <= windowMs - 5000 && leftMs >= 0.4 * windowMs;
  return isAged || leftMs <= 0 || leftMs > windowMs ? 0 : leftMs + 2 * windowMs + 6000;
}

/** Phases that need several windows: for nightly runs, and wherever time costs nothing. */
export async function runLongPhases(tools: ProbeTools, probe: (phase: Phase) => ExamRequest, limit: number): Promise<void> {
  const { windowMs } = tools;
  const gapMs = windowMs / limit;
  const one = (phase: Phase): Promise<LimitOp> => tools.send(probe(phase));

  // Two silent windows came before the contest; what the checks of this burst need is an allowance that is whole again.
  tools.enter("I: everything at once after a silent window");
  await tools.sleep(1.1 * windowMs + 3000, "a quiet window");
  const first = await one("I");
  await tools.sleep(afterWaitMs + 50, "every instance is in this window");
  await tools.burst(probe("I"), Math.ceil(1.3 * limit) + 4);

  tools.enter("J: drained, half a window, drained again");
  await tools.sleep(0.4 * windowMs, "half a window");
  await drain(tools, probe("J"), { limit });
  await tools.sleep(afterWaitMs + 50, "a refusal that comes alone");
  const rejected = await one("J");

  tools.enter("K: on time, nobody else in between");
  if (rejected.outcome === "rejected") {
    const waitMs = Math.min(rejected.retry?.seconds ?? 60, (3 * windowMs) / 1000) * 1000;
    await tools.sleep(rejected.headersMs + waitMs + afterWaitMs - tools.clock.nowMs(), "the stated wait");
    await one("K");
  }

  tools.enter("L: half of what is allowed, for two windows");
  // By the end of this phase two windows hold nothing but its own requests.
  await tools.sleep(windowMs + 3000, "a quiet window");
  const restMs = paceMs(tools, limit);
  const halfRate = probe("L");
  for (let count = 0; count < Math.ceil(1.05 * limit) + 1; count += 1) {
    await tools.send(halfRate);
    await tools.sleep(restMs, "half of the allowed rate");
  }

  tools.enter("M: half more than is allowed, for more than a window");
  const beyondRate = probe("M");
  for (let count = 0; count < Math.ceil(1.9 * limit); count += 1) {
    await tools.send(beyondRate);
    await tools.sleep(gapMs / 1.5, "half more than the allowed rate");
  }
  await separateSurvivors(tools, probe("S"));
  if (tools.manifest.control !== null) await returnNextDay(tools, first, one);
}

/**
 * Rest between requests that no bucket of the average rate refuses, whatever it holds (`limits.under-admission`): two and a half times the average
 * gap and the allowance for clocks of several instances. With time to spare each also comes alone, as a promise of `remaining` needs it. A large
 * limit is paced faster in real time: it would take the better part of an hour.
 */
function paceMs(tools: ProbeTools, limit: number): number {
  const gapMs = tools.windowMs / limit;
  const evenMs = 2.6 * gapMs + afterWaitMs + 40;
  if (tools.manifest.control !== null) return Math.max(evenMs, 3050);
  return limit <= 120 ? evenMs : 2.2 * gapMs;
}

/** Once more at the time of day at which the allowance had been used up: a window that is named by it is found again. */
async function returnNextDay(tools: ProbeTools, drained: LimitOp, one: (phase: Phase) => Promise<LimitOp>): Promise<void> {
  tools.enter("P: a day later");
  const dayMs = 86_400_000;
  await tools.sleep(drained.headersMs + dayMs + 50 - tools.clock.nowMs(), "the same minute of the next day");
  await one("P");
  await one("P");
}
