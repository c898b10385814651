import type { ArrivalKind } from "./arrival-kind.ts";

export const closedKind: ArrivalKind<"closed"> = {
  defaults: { thinkMs: 0 },
  shape: (arrivals) => ({
    name: "loop",
    concurrency: arrivals.concurrency,
    thinkMs: arrivals.thinkMs,
    describe(window) {
      const { concurrency, thinkMs } = arrivals;
      return `closed loop of ${concurrency}${thinkMs > 0 ? `, ${thinkMs} ms of thought` : ""}${window}`;
    },
    withConcurrency: (concurrency) => ({ ...arrivals, concurrency }),
  }),
};
