import { describe, expect, it } from "vitest";
import { watchJumps } from "../../../src/wire/clock/jump-watch.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { startWallClock } from "../../../src/wire/clock/wall-clock.ts";

const hourMs = 3_600_000;

/** The clock of a machine that somebody sets. */
function settableClock() {
  let byMs = 0;
  let onLook = (): void => {};
  return {
    machineMs: (): number => {
      onLook();
      return Date.now() + byMs;
    },
    /** Resolves when somebody has read it. */
    looked: (): Promise<void> =>
      new Promise((resolve) => {
        // The jump is noted in the turn of the look.
        onLook = () => setImmediate(resolve);
      }),
    set(ms: number): void {
      byMs += ms;
    },
  };
}

describe("the wall clock of a run", () => {
  it.each([
    ["back", -hourMs],
    ["forward", hourMs],
  ])("goes on as it was when the machine is set %s an hour, and the jump is noted once", (_, byMs) => {
    const machine = settableClock();
    const wall = startWallClock(machine.machineMs);
    const clock = createRealClock(0, wall);
    const watch = watchJumps(wall);
    const [beforeMs, beforeWallMs] = [clock.nowMs(), clock.wallMs()];
    expect(watch.jumps()).toEqual([]);
    machine.set(byMs);
    expect(clock.wallMs() - beforeWallMs).toBeGreaterThanOrEqual(0);
    expect(clock.wallMs() - beforeWallMs - (clock.nowMs() - beforeMs)).toBeLessThan(hourMs / 2);
    const [jump, ...others] = watch.jumps();
    watch.stop();
    expect(others).toEqual([]);
    expect(Math.abs((jump?.byMs ?? 0) - byMs)).toBeLessThan(hourMs / 2);
    expect(jump?.atMs).toBeGreaterThanOrEqual(0);
  });

  it("takes a clock that is turned slowly for none that jumps, and keeps the first of many jumps", () => {
    const machine = settableClock();
    const watch = watchJumps(startWallClock(machine.machineMs));
    for (let turn = 0; turn < 100; turn += 1) {
      machine.set(5);
      expect(watch.jumps()).toEqual([]);
    }
    for (let turn = 0; turn < 50; turn += 1) {
      machine.set(hourMs);
      watch.jumps();
    }
    watch.stop();
    expect(watch.jumps()).toHaveLength(20);
  });

  it("is looked at while nobody asks, so that a jump that is taken back is noted", async () => {
    const machine = settableClock();
    const watch = watchJumps(startWallClock(machine.machineMs));
    machine.set(hourMs);
    await machine.looked();
    machine.set(-hourMs);
    await machine.looked();
    watch.stop();
    expect(watch.jumps().map(({ byMs }) => Math.round(byMs / 60_000))).toEqual([60, -60]);
  });
});
