import { performance } from "node:perf_hooks";
import { expect, it } from "vitest";
import { loopWatchOfThread } from "../../../src/wire/clock/loop-watch.ts";

it("knows how late this thread was since an instant, while it is late and afterwards", async () => {
  const watch = loopWatchOfThread();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const beforeMs = performance.now();
  while (performance.now() - beforeMs < 200);
  // The timer has not fired yet.
  expect(watch.latestSince(beforeMs)).toBeGreaterThan(150);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const afterMs = performance.now();
  expect(watch.latestSince(beforeMs)).toBeGreaterThan(150);
  expect(watch.latestSince(beforeMs)).toBeGreaterThanOrEqual(watch.latestSince(afterMs));
});
