import type { LimitOp } from "../../history/op.ts";
import type { ExamRequest } from "../../probe/exam-request.ts";
import type { ProbeTools } from "../../probe/probe-tools.ts";
import { whyUnreachable } from "../../probe/reach.ts";
import { serviceNow } from "../../probe/schedule-steps.ts";
import { mostDrained } from "./endpoint-drains.ts";
import { isTimeFree } from "./is-time-free.ts";
import { useWholeWindow } from "./use-whole-window.ts";

/** A window that begins with a request is certainly over so much later, clocks of several instances included, ms. */
const certainlyOverMs = 2600;

/**
 * Uses up an endpoint that costs nothing, and asks for more than its limit, when a whole window has passed since its last visit without
 * any request: what was not used in a silent window is lost, and no window, log or bucket holds more than the limit after it. It was
 * visited before, so that its first window is not what shows here.
 */
export async function useAfterSilence(tools: ProbeTools, probe: ExamRequest, visit: LimitOp): Promise<void> {
  const { limit } = visit.requests;
  if (visit.outcome !== "admitted" || limit === null || limit > mostDrained) return;
  if (whyUnreachable(limit, tools.manifest) !== null) return;
  const waitMs = silentAtMs(tools, visit) - tools.clock.nowMs();
  // The exam of windows has lasted as long by now; that of a bucket may end shortly before.
  if (!isTimeFree(tools) && waitMs > tools.windowMs / 3) return;
  tools.enter("Q: the other endpoint after a silent window");
  await tools.sleep(waitMs, "a whole window in which another endpoint is silent");
  await tools.send(probe);
  await useWholeWindow(tools, probe, limit);
}

/** When a whole window without requests is over, whether windows are of the clock or begin with a request. */
function silentAtMs(tools: ProbeTools, visit: LimitOp): number {
  const { resetMs } = visit.requests;
  const leftMs = resetMs === null ? 0 : resetMs - serviceNow(tools, visit);
  const openMs = leftMs > 0 && leftMs <= 1.1 * tools.windowMs ? leftMs : 0;
  return visit.headersMs + openMs + tools.windowMs + certainlyOverMs;
}
