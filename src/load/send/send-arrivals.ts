import { shapeOf } from "../arrivals/arrival-kinds.ts";
import { type ConversationTally, sendClosedLoop, sendOpenLoop } from "./send-loops.ts";
import { createClockPacer, createWorkerPacer } from "./pacer.ts";
import { permittedRps } from "../plan/profile-blockers.ts";
import { driveSearch } from "./drive-search.ts";
import type { SendArrivalsInput, SentArrivals } from "./send-arrivals-input.ts";
import { dealSends } from "../arrivals/share.ts";
import { isWaited } from "./waits.ts";

/** Sends a share of a profile: by schedule, as a closed loop, or rate by rate. Resolves when its window is over. */
export async function sendArrivals(input: SendArrivalsInput): Promise<SentArrivals> {
  const { profile, clock, engine, startMs, plan, share, random } = input;
  const shape = shapeOf(profile.arrivals);
  const pacer = input.virtualTime === true ? createClockPacer(clock, () => settle(input)) : createWorkerPacer(clock);
  const endMs = startMs + 1000 * (profile.warmUpSeconds + profile.durationSeconds);
  const allowedRps = permittedRps(input.manifest);
  const tally: ConversationTally = { begun: 0, completed: 0, cancelled: 0 };
  const base = {
    conversations: tally,
    engine,
    pacer,
    clock,
    random,
    untilMs: endMs,
    leastGapMs: allowedRps === null ? 0 : (1000 * share.count) / allowedRps,
    firstIndex: share.index,
    indexStep: share.count,
  };
  switch (shape.name) {
    case "loop":
      await sendClosedLoop({ ...base, startMs }, shape);
      return { planned: engine.issued, conversations: null, toMs: endMs, rates: [] };
    case "open":
    case "conversations": {
      const sends = dealSends(plan.sends, share);
      await sendOpenLoop({ ...base, startMs }, sends, shape);
      if (input.virtualTime === true) await settle(input);
      const overMs = Math.min(endMs, startMs + (plan.sends.at(-1)?.atMs ?? 0) + 1000);
      await isWaited(clock, overMs - clock.nowMs(), engine.stopped);
      const planned = sends.reduce((sum, { turns }) => sum + turns, 0);
      const conversations =
        shape.name === "conversations" ? { planned: sends.filter(({ session }) => session !== null).length, tally } : null;
      const planEndMs = startMs + plan.durationMs;
      const isOver = shape.name === "conversations" && shape.endsEarly === true;
      return { planned, conversations, toMs: isOver ? Math.min(planEndMs, clock.nowMs()) : planEndMs, rates: [] };
    }
    case "search": {
      const search = await driveSearch({ base: { ...base, startMs }, input, shape, settle: () => settle(input) });
      return { ...search, conversations: null, toMs: clock.nowMs() };
    }
    default:
      return shape satisfies never;
  }
}

function settle({ engine, profile }: SendArrivalsInput): Promise<void> {
  return engine.idle(1000 * profile.timeoutSeconds);
}
