import type { ProbeTools } from "../../probe/probe-tools.ts";

type LeftOut = Parameters<ProbeTools["notJudged"]>[0];

/** Names a part that the schedule does not send, with the reason. */
export function leaveOut(tools: ProbeTools, policy: LeftOut["policy"], text: string): null {
  tools.notJudged({ policy, text });
  return null;
}
