import { drawLength, longestLength } from "../workload/draw-length.ts";
import type { ArrivalKind } from "./arrival-kind.ts";
import { arrivalTimes, constantRate, unitGaps } from "./arrival-times.ts";
import { plannedSend } from "../profile/planned-send.ts";

export const sessionsKind: ArrivalKind<"sessions"> = {
  defaults: {},
  lengths: ["turns", "thinkSeconds"],
  shape: ({ ratePerSecond, turns, thinkSeconds }) => ({
    name: "conversations",
    thinkSeconds,
    mostPerSecond: ratePerSecond * longestLength(turns),
    describe: (window) => `sessions ${ratePerSecond}/s${window}`,
    contradictions: ({ workload }) =>
      workload.some((item) => item.endpoint !== "chat") ? [{ path: ["workload"], message: "sessions hold chat only" }] : [],
    schedule({ random, durationSeconds, warmUpSeconds }) {
      const totalMs = 1000 * (durationSeconds + warmUpSeconds);
      const times = arrivalTimes(constantRate(ratePerSecond), unitGaps("poisson", random), 0, totalMs);
      return times.map((atMs, session) => plannedSend(atMs, { session, turns: Math.max(1, drawLength(turns, random)) }));
    },
  }),
};
