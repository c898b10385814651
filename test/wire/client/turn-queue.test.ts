import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createTurnQueue } from "../../../src/wire/client/turn-queue.ts";

function busy(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

describe("the turns of a loop that sends", () => {
  it("write first, and work in order", async () => {
    const turns = createTurnQueue();
    const done: string[] = [];
    turns.work(() => done.push("first"));
    turns.work(() => done.push("second"));
    turns.write(() => done.push("write"));
    expect(done).toEqual([]);
    await nextTurn();
    await nextTurn();
    expect(done).toEqual(["write", "first", "second"]);
  });

  it("stop work for what is to be written meanwhile, and when a slice is over", async () => {
    const turns = createTurnQueue();
    const done: string[] = [];
    turns.work(() => {
      done.push("first");
      turns.write(() => done.push("write"));
    });
    for (const name of ["second", "third", "fourth"]) {
      turns.work(() => {
        done.push(name);
        busy(3);
      });
    }
    const seen: number[] = [];
    while (done.length < 5) {
      await nextTurn();
      seen.push(done.length);
    }
    expect(done).toEqual(["first", "write", "second", "third", "fourth"]);
    expect(seen.length).toBeGreaterThan(3);
  });

  it("let the loop read again, however long the oldest work has waited", async () => {
    const turns = createTurnQueue();
    const done: number[] = [];
    let [longest, before] = [0, 0];
    for (let task = 0; task < 300; task += 1) {
      turns.work(() => {
        done.push(task);
        busy(5);
      });
    }
    while (done.length < 300) {
      await nextTurn();
      longest = Math.max(longest, done.length - before);
      before = done.length;
    }
    expect(longest).toBeLessThan(100);
  });

  it("count what others do with a result as a part of the work", async () => {
    const turns = createTurnQueue();
    const done: string[] = [];
    for (const name of ["first", "second"]) {
      const heard = new Promise<void>((resolve) => {
        turns.work(() => {
          done.push(`read ${name}`);
          resolve();
        });
      });
      void heard.then(() => done.push(`judged ${name}`));
    }
    while (done.length < 4) await nextTurn();
    expect(done).toEqual(["read first", "judged first", "read second", "judged second"]);
  });

  it("do all of it at once where that is asked for", () => {
    const turns = createTurnQueue();
    let done = 0;
    for (let task = 0; task < 1000; task += 1) turns.work(() => (done += 1));
    turns.finishWork();
    expect(done).toBe(1000);
  });
});
