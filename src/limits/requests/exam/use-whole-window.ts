import type { LimitOp } from "../../history/op.ts";
import type { ExamRequest } from "../../probe/exam-request.ts";
import type { ProbeTools } from "../../probe/probe-tools.ts";
import { isTimeFree } from "./is-time-free.ts";
import { afterWaitMs, drain, roundSize } from "../../probe/schedule-steps.ts";

/** A label that stays the same for so long is that of a window, ms. */
const pauseMs = 3300;
/** A pause before a request that no smoothing of bursts refuses, ms. */
const lonePauseMs = 3500;

/**
 * Uses an allowance whole, the last of it at once after a pause that shows whether it refills, and asks for as much again. A refusal
 * while requests remain is asked for again, twice and alone, unless the pauses of a small limit would prolong an exam in real time. The latest refusal; null where nothing was refused.
 */
export async function useWholeWindow(tools: ProbeTools, probe: ExamRequest, limit: number): Promise<LimitOp | null> {
  await tools.sleep(afterWaitMs + 50, "every instance is in this window");
  await tools.burst(probe, Math.min(8, Math.ceil(limit / 4)));
  await tools.sleep(pauseMs, "a pause shows whether the allowance refills");
  let rejected = await drain(tools, probe, { limit, most: 2 * (limit + roundSize) });
  const loneMs = Math.max(lonePauseMs, 1500 + (2 * tools.windowMs) / limit);
  const tries = isTimeFree(tools) || loneMs <= tools.windowMs / 10 ? 2 : 0;
  for (let count = 0; count < tries && (rejected?.requests.remaining ?? 0) > 0; count += 1) {
    await tools.sleep(loneMs, "refused although requests remain");
    const again = await tools.send(probe);
    if (again.outcome === "rejected") rejected = again;
  }
  return rejected;
}
