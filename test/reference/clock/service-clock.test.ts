import { describe, expect, it } from "vitest";
import { ServiceClock } from "../../../src/reference/clock/service-clock.ts";
import { keep } from "../../make/keep.ts";

const startMs = Date.UTC(2026, 10, 21, 12);

const manualClock = (): ServiceClock => keep(new ServiceClock({ kind: "manual", startMs }));

describe("manual clock", () => {
  it("stands still until it is advanced", async () => {
    const clock = manualClock();
    expect(clock.wallMs()).toBe(startMs);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(clock.wallMs()).toBe(startMs);
    await clock.advance(1234);
    expect(clock.wallMs()).toBe(startMs + 1234);
  });

  it("runs the promise jobs of one timer, and the timers they set, before the next timer", async () => {
    const clock = manualClock();
    const seen: string[] = [];
    const worker = async (): Promise<void> => {
      await clock.sleepUntil(startMs + 100);
      seen.push(`woke ${clock.wallMs() - startMs}`);
      await Promise.resolve();
      await clock.sleepUntil(startMs + 150);
      seen.push(`again ${clock.wallMs() - startMs}`);
    };
    const done = worker();
    clock.at(startMs + 200, () => seen.push(`timer ${clock.wallMs() - startMs}`));
    await clock.advance(1000);
    await done;
    expect(seen).toEqual(["woke 100", "again 150", "timer 200"]);
  });

  it("queues concurrent advances and adds them up", async () => {
    const clock = manualClock();
    await Promise.all([clock.advance(10), clock.advance(20), clock.advance(30)]);
    expect(clock.wallMs()).toBe(startMs + 60);
  });

  it("does not fire what was cancelled, nor anything after close", async () => {
    const clock = manualClock();
    const fired: string[] = [];
    clock.at(startMs + 10, () => fired.push("cancelled")).cancel();
    const kept = clock.at(startMs + 20, () => fired.push("kept"));
    await clock.advance(50);
    kept.cancel();
    clock.at(startMs + 60, () => fired.push("closed"));
    clock.close();
    await clock.advance(100);
    expect(fired).toEqual(["kept"]);
  });

  it("rejects a sleep whose signal aborts, and forgets its timer", async () => {
    const clock = manualClock();
    const abort = new AbortController();
    const sleep = clock.sleepUntil(startMs + 100, abort.signal);
    abort.abort(new Error("left"));
    await expect(sleep).rejects.toThrow("left");
    await expect(clock.sleepUntil(startMs + 100, abort.signal)).rejects.toThrow("left");
    await expect(clock.sleepUntil(startMs)).resolves.toBeUndefined();
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("refuses to advance by %s", async (ms) => {
    await expect(manualClock().advance(ms)).rejects.toThrow(RangeError);
  });
});

describe("flowing clocks", () => {
  it("follows real time without firing early, and can leap", async () => {
    const clock = keep(new ServiceClock());
    const [earliestMs, wallMs, latestMs] = [Date.now(), clock.wallMs(), Date.now()];
    expect(wallMs).toBeGreaterThan(earliestMs - 100);
    expect(wallMs).toBeLessThan(latestMs + 100);
    const dueMs = clock.wallMs() + 8;
    await clock.sleepUntil(dueMs);
    expect(clock.wallMs()).toBeGreaterThanOrEqual(dueMs);
    const before = clock.wallMs();
    const hour = clock.sleepUntil(before + 3_600_000);
    await clock.advance(3_600_000);
    await hour;
    expect(clock.wallMs()).toBeGreaterThanOrEqual(before + 3_600_000);
  });

  it("runs scaled time faster", async () => {
    const clock = keep(new ServiceClock({ kind: "scaled", factor: 60_000 }));
    const startedReal = performance.now();
    const started = clock.wallMs();
    await clock.sleepUntil(started + 600_000);
    expect(clock.wallMs() - started).toBeGreaterThanOrEqual(600_000);
    expect(performance.now() - startedReal).toBeLessThan(600_000);
  });

  it("reaches timers beyond the longest delay of setTimeout", async () => {
    const clock = keep(new ServiceClock());
    let fired = 0;
    clock.at(clock.wallMs() + 2 ** 33, () => (fired += 1));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(fired).toBe(0);
    await clock.advance(2 ** 33);
    expect(fired).toBe(1);
  });

  it("rejects a negative factor", () => {
    expect(() => new ServiceClock({ kind: "scaled", factor: -1 })).toThrow(RangeError);
  });
});
