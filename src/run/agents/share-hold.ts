import type { Hold } from "../../load/send/hold.ts";
import type { FollowedClock } from "./agent-clock.ts";
import type { ToAgent } from "./agent-messages.ts";

/** A wait that the target asked this agent for holds back all. */
export function shareHold(
  own: Hold,
  clock: Pick<FollowedClock, "nowMs" | "errorMs">,
  sendAll: (message: Extract<ToAgent, { kind: "hold" }>) => void,
): Hold {
  return {
    untilMs: () => own.untilMs(),
    extend(untilMs) {
      if (untilMs <= own.untilMs()) return;
      own.extend(untilMs);
      // As late as it may be on any other clock.
      sendAll({ kind: "hold", untilMs: untilMs + clock.errorMs(clock.nowMs()) });
    },
  };
}
