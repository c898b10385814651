import type { LimitOp } from "../../history/op.ts";
import { shortestWait } from "../../history/shortest-wait.ts";
import type { ExamRequest } from "../../probe/exam-request.ts";
import type { ProbeTools } from "../../probe/probe-tools.ts";
import { afterWaitMs, roundSize } from "../../probe/schedule-steps.ts";
import { statedWaitMs } from "./return-steps.ts";

/**
 * Uses the allowance up to the last request that remains, pauses, and takes that one alone. Gives up after about `most`
 * requests: with a queue that spaces requests, remaining never falls. How many it sent.
 */
export async function approachLast(tools: ProbeTools, probe: ExamRequest, perSecond: number, most: number): Promise<number> {
  let last = await tools.send(probe);
  let pauses = 0;
  let sent = 1;
  while (sent < most && pauses < 3 && last.outcome === "admitted" && (last.requests.remaining ?? 0) > 1) {
    const remaining = last.requests.remaining ?? 0;
    const atOnce = remaining > 4 ? Math.min(roundSize, remaining - 3) : 0;
    if (atOnce > 0) await tools.burst(probe, atOnce);
    sent += atOnce + 1;
    // The reading of the last request must not overlap any other, clocks of several instances included.
    if (remaining === 2) {
      pauses += 1;
      await tools.sleep(afterWaitMs + 50, "a quiet reading");
    }
    last = await tools.send(probe);
  }
  // An allowance that refills faster than it is used never gets there; a pause would only fill it again.
  if (last.outcome !== "admitted" || last.requests.remaining !== 1) return sent;
  await tools.sleep(lonePauseMs(perSecond), "the last remaining request is taken alone");
  await tools.send(probe);
  return sent + 1;
}

/**
 * Comes back as soon as the hint allows, where that is at once. Several times, since each visit shows one fraction of a second.
 */
export async function retryAtOnce(tools: ProbeTools, rejected: LimitOp, probe: ExamRequest, perSecond: number): Promise<LimitOp> {
  const one = (): Promise<LimitOp> => tools.send(probe);
  let latest = rejected;
  for (let count = 0; count < 8; count += 1) {
    // A client that reads only the shortest hint comes back then.
    const seconds = shortestWait(latest.retry)?.seconds ?? null;
    if (seconds === null || seconds > 1 || (seconds === 1 && count > 5)) break;
    await tools.sleep(seconds * 1000 + afterWaitMs, "the stated wait");
    const retried = await one();
    const next = retried.outcome === "rejected" ? retried : await one();
    if (next.outcome === "rejected") latest = next;
  }
  // A few requests come back, and many want them at once.
  const severalMs = 3500 / perSecond;
  if ((latest.retry?.seconds ?? Number.POSITIVE_INFINITY) > 1 || severalMs > tools.windowMs / 12) return latest;
  await tools.sleep(severalMs, "a few requests come back");
  const ops = await tools.burst(probe, roundSize);
  return ops.findLast(({ outcome }) => outcome === "rejected") ?? latest;
}

/** Outlasts any smoothing of bursts: a request that comes after it comes alone. */
function lonePauseMs(perSecond: number): number {
  return Math.max(2000, 2000 / perSecond) + 1500;
}

/** Rejected although requests remain: once more, alone. */
export async function loneRetry(tools: ProbeTools, rejected: LimitOp, probe: ExamRequest, perSecond: number): Promise<LimitOp> {
  if ((rejected.requests.remaining ?? 0) === 0) return rejected;
  await tools.sleep(lonePauseMs(perSecond), "a lone request after a pause");
  const again = await tools.send(probe);
  return again.outcome === "rejected" ? again : rejected;
}

/** The stated limit is given back by then: a second limit that has not let it be used up never will. */
const slowDrainWindows = 1.5;

/**
 * A second, shorter limit may refuse while the stated one still has something left. This waits as the hint says, and takes a
 * few more, until a refusal shows nothing left or more than the limit was admitted.
 */
export async function drainSlowly(tools: ProbeTools, probe: ExamRequest, rejected: LimitOp, limit: number): Promise<LimitOp> {
  await tools.sleep(afterWaitMs + 50, "a refusal that comes alone");
  let latest = rejected;
  let refusals = 0;
  for (; refusals < 2; refusals += 1) {
    const op = await tools.send(probe);
    if (op.outcome !== "rejected") break;
    latest = op;
    if (statedWaitMs(tools, op, 1000) > tools.windowMs / 12) return latest;
    const dueMs = op.headersMs + Math.min(statedWaitMs(tools, op, 1000), tools.windowMs / 8) + afterWaitMs;
    await tools.sleep(dueMs - tools.clock.nowMs(), "a second, shorter limit refuses");
  }
  // Two refusals, each alone and after its wait: no short limit refuses so, and a long one leaves nothing to use up.
  if (refusals === 2) return latest;
  let admitted = 0;
  let atOnce = Math.max(2, Math.ceil(limit / 6));
  const endMs = tools.clock.nowMs() + slowDrainWindows * tools.windowMs;
  for (let round = 0; round < limit && admitted <= 1.5 * limit && tools.clock.nowMs() < endMs; round += 1) {
    if ((latest.requests.remaining ?? 0) === 0) return latest;
    const waitMs = Math.min(statedWaitMs(tools, latest, 1000), tools.windowMs / 8);
    await tools.sleep(latest.headersMs + waitMs + afterWaitMs - tools.clock.nowMs(), "a second, shorter limit refuses");
    const ops = await tools.burst(probe, atOnce);
    const refused = ops.filter((op) => op.outcome === "rejected");
    admitted += ops.length - refused.length;
    if (refused.length > 1) atOnce = Math.max(2, ops.length - refused.length + 1);
    latest = refused.at(-1) ?? latest;
  }
  return latest;
}
