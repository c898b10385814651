import { endpoints } from "../../../core/exchange/endpoint.ts";
import type { ExamRequest } from "../../probe/exam-request.ts";
import type { ProbeTools } from "../../probe/probe-tools.ts";
import { whyUnreachable } from "../../probe/reach.ts";
import { afterWaitMs, silenceMs } from "../../probe/schedule-steps.ts";
import { mostDrained } from "./endpoint-drains.ts";
import { statedWaitMs } from "./return-steps.ts";
import { useWholeWindow } from "./use-whole-window.ts";

/**
 * The first window of a key, used until one is refused, then two silent windows: a counter that is created in two places, or filled
 * from a store that does not know the key yet, shows in its first window and never again. For a virtual clock: on a real one the
 * exam uses up its first window anyway, or finds it nearly over.
 */
export async function useFirstWindow(tools: ProbeTools, probe: ExamRequest, exhaust: boolean): Promise<void> {
  const first = await tools.send(probe);
  const { limit } = first.requests;
  const isUsed = exhaust && limit !== null && limit <= mostDrained && !endpoints[probe.endpoint].billable;
  let untilMs = tools.clock.nowMs() + silenceMs(tools);
  if (isUsed && first.outcome === "admitted" && whyUnreachable(limit, tools.manifest) === null) {
    tools.enter("T: the first window");
    const rejected = await useWholeWindow(tools, probe, limit);
    untilMs = tools.clock.nowMs() + silenceMs(tools);
    // A key that is blocked for longer than two windows is let in again.
    if (rejected !== null) untilMs = Math.max(untilMs, rejected.headersMs + statedWaitMs(tools, rejected, 0) + afterWaitMs);
  }
  await tools.sleep(untilMs - tools.clock.nowMs(), "two quiet windows");
}
