import type { LimitOp } from "../../history/op.ts";
import { afterWaitMs, silenceMs } from "../../probe/schedule-steps.ts";
import type { ProbeTools } from "../../probe/probe-tools.ts";
import type { OffsetEstimate } from "./clock-offset.ts";

type SendOne = () => Promise<LimitOp>;

/** Windows that a wait may last to be waited for. */
const patienceWindows = 3;

/** The wait that a refusal names, as far as it is waited for. */
export function statedWaitMs(tools: ProbeTools, rejected: LimitOp, otherwiseMs: number): number {
  const seconds = rejected.retry?.seconds ?? null;
  return Math.min(seconds === null ? otherwiseMs : seconds * 1000, patienceWindows * tools.windowMs);
}

/** When what a refusal waits for can be over at the latest, if its wait is cut to whole seconds; Infinity: it says none. */
function latestEndMs({ headersMs, retry }: LimitOp): number {
  return (retry?.seconds ?? null) === null ? Number.POSITIVE_INFINITY : headersMs + (retry!.seconds! + 1) * 1000;
}

/**
 * Visits while the first stated wait lasts, at half of it and four seconds before its end, then comes back on time. A key that
 * is still refused is visited on, until two windows after the drain: by then every lawful limiter admits a visitor, in whatever
 * way it counts. Whether one was admitted.
 */
export async function returnWithVisits(
  tools: ProbeTools,
  rejected: LimitOp,
  one: SendOne,
  offset: OffsetEstimate | null,
): Promise<boolean> {
  const waitMs = statedWaitMs(tools, rejected, tools.windowMs);
  const dueMs = rejected.headersMs + waitMs;
  let latest = rejected;
  // A wait that is rounded down ends before the true end.
  let untilAtMostMs = latestEndMs(rejected);
  const visit = async (atMs: number, reason: string): Promise<boolean> => {
    await tools.sleep(atMs - tools.clock.nowMs(), reason);
    const op = await one();
    if (op.outcome === "rejected") {
      latest = op;
      untilAtMostMs = Math.min(untilAtMostMs, latestEndMs(op));
    }
    return op.outcome !== "rejected";
  };
  const early = "returning before the stated wait is over";
  const leftMs = dueMs - tools.clock.nowMs();
  if (leftMs > 4000) {
    // At the instant whose wait says in which half of a second that end lies.
    const halfMs = tools.clock.nowMs() + leftMs / 2;
    const shiftMs = Number.isFinite(untilAtMostMs) ? (untilAtMostMs - 500 - halfMs) % 1000 : 0;
    await visit(halfMs + shiftMs, early);
  }
  // Just under four seconds before the end, by the stated reset or by the waits: one that is rounded down then misses by almost a second.
  const resetMs =
    latest.requests.resetMs === null || offset === null ? null : latest.requests.resetMs - (offset.lowMs + offset.highMs) / 2;
  const ends = [resetMs, untilAtMostMs].filter((endMs) => endMs !== null && Math.abs(endMs - dueMs) < 2000);
  const lastVisitMs = ends.length === 0 ? dueMs - 4000 : Math.min(...ends.map((endMs) => endMs! - 3960));
  if (lastVisitMs - tools.clock.nowMs() > 1000) await visit(lastVisitMs, early);
  const onTimeMs = (): number => latest.headersMs + statedWaitMs(tools, latest, waitMs) + afterWaitMs;
  // The wait that was named last, where it ends about when the first one does.
  if (await visit(Math.min(onTimeMs(), dueMs + 5000), "the stated wait")) return true;
  const untilMs = rejected.headersMs + silenceMs(tools);
  while (tools.clock.nowMs() < untilMs) {
    const atMs = Math.min(onTimeMs(), tools.clock.nowMs() + 0.4 * tools.windowMs);
    if (await visit(atMs > untilMs - 5000 ? untilMs + 500 : atMs, "refused after the stated wait: two windows are waited for"))
      return true;
  }
  return false;
}

/** How long after a stated reset a refusal contradicts it: the allowances for the clocks of limiter and Date, and for several of them, ms. */
const afterResetMs = 2500;

/**
 * Alone for the whole of one stated wait, so that nothing which the client did in between excuses another refusal. A key that
 * is still refused waits once more as the hints then say, and until the stated reset is over as well.
 */
export async function returnInSilence(tools: ProbeTools, rejected: LimitOp, one: SendOne): Promise<LimitOp> {
  const dueMs = rejected.headersMs + statedWaitMs(tools, rejected, tools.windowMs) + afterWaitMs;
  await tools.sleep(dueMs - tools.clock.nowMs(), "the whole stated wait in silence");
  const again = await one();
  if (again.outcome !== "rejected") return again;
  const waitMs = Math.max(statedWaitMs(tools, again, tools.windowMs), afterResetMs);
  await tools.sleep(
    again.headersMs + waitMs + afterWaitMs - tools.clock.nowMs(),
    "refused after the stated wait: the same wait once more",
  );
  return one();
}
