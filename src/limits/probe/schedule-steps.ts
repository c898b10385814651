import type { LimitOp } from "../history/op.ts";
import type { ExamRequest } from "./exam-request.ts";
import type { ProbeTools } from "./probe-tools.ts";

/** How much later than the hint says a probe returns: the allowance that the judge grants for clocks of several instances. */
export const afterWaitMs = 410;

/** After so long a silence nothing of what was sent before can still count, whatever the algorithm and the clock. */
export function silenceMs(tools: ProbeTools): number {
  return 2 * tools.windowMs + 3000;
}

/** Refusals after which a limit is used up: one alone may be that of a full instance among others, or of a limiter that smooths bursts. */
export const refusalsWanted = 6;

/** Simultaneous requests of a round. */
export const roundSize = 16;

/** Instances with counters of their own: so many times the limit is used up before all of them refuse. */
export const mostInstances = 3;

/** Requests that a schedule sends at most to use up a limit, where the manifest sets no lower budget. */
export const mostRequests = 20_000;

/** Rounds of simultaneous requests until enough are refused, or no instance can have anything left; the latest refusal. */
export async function drain(
  tools: ProbeTools,
  probe: ExamRequest,
  { limit, most = mostRequests }: { readonly limit: number; readonly most?: number },
): Promise<LimitOp | null> {
  const enough = Math.min(mostInstances * limit + 2 * roundSize, most);
  let latest: LimitOp | null = null;
  let rejections = 0;
  for (let sent = 0; sent < enough && rejections < refusalsWanted; sent += roundSize) {
    for (const op of await tools.burst(probe, roundSize)) {
      if (op.outcome !== "rejected") continue;
      rejections += 1;
      if (latest === null || op.headersMs > latest.headersMs) latest = op;
    }
  }
  return latest;
}

/** Begins in a window that is long enough for what follows and not yet used up, as far as `first` shows. */
export async function waitForWindow(tools: ProbeTools, first: LimitOp, probe: ExamRequest): Promise<LimitOp> {
  const { remaining, limit } = first.requests;
  const leftMs = first.requests.resetMs === null ? null : first.requests.resetMs - serviceNow(tools, first);
  const used = remaining !== null && limit !== null && remaining < limit - Math.max(3, limit / 10);
  const short = leftMs !== null && leftMs < 0.4 * tools.windowMs && leftMs > 0;
  if (!used && !(short && leftMs > 3000)) return first;
  if (leftMs === null || leftMs > tools.windowMs * 1.1) {
    await tools.sleep(tools.windowMs, "the allowance was in use: waiting for a window");
  } else {
    await tools.sleep(Math.max(leftMs, 0) + 2600, "waiting for a fresh window");
  }
  return tools.send(probe);
}

/** Service time of a response: its own Date, else our wall clock. */
export function serviceNow(tools: ProbeTools, op: LimitOp): number {
  return op.dateMs ?? tools.clock.wallMs();
}
