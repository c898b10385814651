import { performance } from "node:perf_hooks";
import { expect, it } from "vitest";
import { loopWatchOfThread } from "../../../src/wire/clock/loop-watch.ts";
import { holdThread } from "../../make/hold-thread.ts";

it("knows how late this thread was since an instant, while it is late and afterwards", async () => {
  const watch = loopWatchOfThread();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const beforeMs = performance.now();
  holdThread(200);
  // The timer has not fired yet.
  expect(watch.latestSince(beforeMs)).toBeGreaterThan(150);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const afterMs = performance.now();
  expect(watch.latestSince(beforeMs)).toBeGreaterThan(150);
  expect(watch.latestSince(beforeMs)).toBeGreaterThanOrEqual(watch.latestSince(afterMs));
});

it("adds up delays one after the other, between which no socket was read", async () => {
  const watch = loopWatchOfThread();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const fromMs = performance.now();
  // After the first delay both are due, the look of the watch and then the second delay; the sockets are read after them.
  const latestMs = new Promise<number>((resolve) => {
    setTimeout(() => {
      holdThread(200);
      resolve(watch.latestSince(fromMs));
    }, 60);
  });
  setImmediate(holdThread, 200);
  expect(await latestMs).toBeGreaterThan(350);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(watch.latestSince(fromMs)).toBeGreaterThan(350);
});
