import { getEventListeners, setMaxListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";

describe("the real clock", () => {
  it("starts at zero, never wakes early, and does not sleep for no time or less", async () => {
    const beforehandMs = performance.now();
    const clock = createRealClock();
    expect(clock.nowMs()).toBeLessThanOrEqual(performance.now() - beforehandMs);
    for (const ms of [0.4, 1, 3.5, 7]) {
      const beforeMs = clock.nowMs();
      await clock.sleep(ms);
      expect(clock.nowMs() - beforeMs).toBeGreaterThanOrEqual(ms);
    }
    await clock.sleep(0);
    await clock.sleep(-5);
    const [earliestMs, wallMs, latestMs] = [Date.now(), clock.wallMs(), Date.now()];
    expect(wallMs).toBeGreaterThan(earliestMs - 100);
    expect(wallMs).toBeLessThan(latestMs + 100);
  });

  it("rejects with the reason of the signal, before and during the sleep, also one of months", async () => {
    const clock = createRealClock();
    await expect(clock.sleep(60_000, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 10);
    await expect(clock.sleep(90 * 86_400_000, controller.signal)).rejects.toThrow("enough");
  });

  it("listens to its signal as long as it sleeps, and no longer", async () => {
    const clock = createRealClock();
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    const sleeps = Promise.all(Array.from({ length: 20 }, () => clock.sleep(5, signal)));
    expect(getEventListeners(signal, "abort")).toHaveLength(20);
    await sleeps;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});
