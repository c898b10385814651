import type { OpenShape } from "../arrivals/arrival-kind.ts";
import { shapeOf } from "../arrivals/arrival-kinds.ts";
import { type ConversationTally, sendClosedLoop, type SendLoopInput, sendOpenLoop } from "./send-loops.ts";
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
      await sendClosedLoop({ ...base, startMs, extend: (untilMs) => 1000 * (input.repeats?.more(untilMs) ?? 0) }, shape);
      return { planned: engine.issued, conversations: null, toMs: endMs + repeatedMs(input), rates: [] };
    case "open":
    case "conversations": {
      const sends = dealSends(plan.sends, share);
      await sendOpenLoop({ ...base, startMs }, sends, shape);
      if (input.virtualTime === true) await settle(input);
      const overMs = Math.min(endMs, startMs + (plan.sends.at(-1)?.atMs ?? 0) + 1000);
      await isWaited(clock, overMs - clock.nowMs(), engine.stopped);
      const again = shape.name === "open" ? await sendAgain(input, { ...base, startMs }, shape) : 0;
      const planned = again + sends.reduce((sum, { turns }) => sum + turns, 0);
      const conversations =
        shape.name === "conversations" ? { planned: sends.filter(({ session }) => session !== null).length, tally } : null;
      const planEndMs = startMs + plan.durationMs + repeatedMs(input);
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

/** The same load for as long as the generator was late. Resolves with the number of sends. */
async function sendAgain(input: SendArrivalsInput, base: SendLoopInput, shape: OpenShape): Promise<number> {
  const { plan, repeats, engine, clock, random } = input;
  let sent = 0;
  let beginMs = input.startMs + plan.durationMs;
  while (!engine.stopped.aborted) {
    const seconds = repeats?.more(beginMs) ?? 0;
    if (seconds === 0) break;
    const sends = shape.schedule({
      random: random.fork(`again/${sent}`),
      durationSeconds: seconds,
      warmUpSeconds: 0,
      requestLimit: null,
      burstLimit: null,
      trace: [],
    });
    await sendOpenLoop({ ...base, startMs: beginMs, firstIndex: plan.sends.length + sent }, sends, shape);
    sent += sends.length;
    beginMs += 1000 * seconds;
    await isWaited(clock, beginMs - clock.nowMs(), engine.stopped);
  }
  return sent;
}

function repeatedMs({ repeats }: SendArrivalsInput): number {
  return 1000 * (repeats?.seconds ?? 0);
}

function settle({ engine, profile }: SendArrivalsInput): Promise<void> {
  return engine.idle(1000 * profile.timeoutSeconds);
}
