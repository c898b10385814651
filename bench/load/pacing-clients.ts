import { createWorkerPacer } from "../../src/load/send/pacer.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { spreadOf, unknownErrors, type Measure } from "./client-figures.ts";

/** `connections` is the rate per second here. */
const pacing: Measure = async (perSecond, seconds) => {
  const clock = createRealClock();
  const count = perSecond * seconds;
  const startMs = clock.nowMs() + 200;
  const times = Float64Array.from({ length: count }, (_, index) => startMs + (1000 * index) / perSecond);
  const delays: number[] = [];
  await createWorkerPacer(clock).run(
    times,
    (index) => delays.push(clock.nowMs() - (times[index] ?? 0)),
    new AbortController().signal,
  );
  const early = delays.filter((delay) => delay < 0).length;
  return { items: count, seconds, ...unknownErrors, errorMs: spreadOf(delays), note: `${early} early` };
};

const timers: Measure = async (perSecond, seconds) => {
  const startMs = performance.now() + 200;
  const delays: number[] = [];
  const count = perSecond * seconds;
  await new Promise<void>((resolve) => {
    const next = (): void => {
      while (delays.length < count && performance.now() >= startMs + (1000 * delays.length) / perSecond) {
        delays.push(performance.now() - startMs - (1000 * delays.length) / perSecond);
      }
      if (delays.length === count) resolve();
      else setTimeout(next, startMs + (1000 * delays.length) / perSecond - performance.now());
    };
    next();
  });
  return { items: count, seconds, ...unknownErrors, errorMs: spreadOf(delays), note: "" };
};

/** Senders of a schedule that send nothing: how late they are. */
export const pacingClients: Readonly<Record<string, Measure>> = { "pacing assay": pacing, "pacing timers": timers };
