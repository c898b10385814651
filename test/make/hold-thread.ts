import { performance } from "node:perf_hooks";

/** Keeps this thread busy for so long: client and server alike, and no timer looks at the loop. */
export function holdThread(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}
