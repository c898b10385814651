import type { ArrivalKind } from "./arrival-kind.ts";
import { plannedSend } from "./planned-sends.ts";
import { readTrace } from "./read-trace.ts";

export const traceKind: ArrivalKind<"trace"> = {
  defaults: { speed: 1 },
  shape: (arrivals) => ({
    name: "open",
    endsEarly: true,
    trace: {
      path: arrivals.file,
      read: (text) => readTrace(text, arrivals.format, arrivals.blockTokens),
      lengthMs: (trace) => (trace.at(-1)?.atMs ?? 0) / arrivals.speed,
      fit(trace, totalMs) {
        const leftOut = trace.filter((entry) => entry.atMs / arrivals.speed >= totalMs).length;
        return { ...arrivals, rows: { total: trace.length, leftOut } };
      },
    },
    describe(window) {
      const { file, speed, rows } = arrivals;
      const pace = speed === 1 ? "" : ` at ${speed} times its speed`;
      if (rows === undefined) return `replay of ${file}${pace}`;
      const leftOut = rows.leftOut === 0 ? "" : `; ${rows.leftOut} of ${rows.total} rows fall due later and are left out`;
      return `replay of ${file}${pace}${window}${leftOut}`;
    },
    schedule({ trace, durationSeconds, warmUpSeconds }) {
      const totalMs = 1000 * (durationSeconds + warmUpSeconds);
      return trace.map(({ atMs, ...rest }) => plannedSend(atMs / arrivals.speed, rest)).filter((entry) => entry.atMs < totalMs);
    },
  }),
};
