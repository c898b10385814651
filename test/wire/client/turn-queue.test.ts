import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createTurnQueue } from "../../../src/wire/client/turn-queue.ts";

/** Time that passes only where a test lets it pass. */
function createTime(): { now: () => number; pass: (ms: number) => void } {
  let nowMs = 0;
  return {
    now: () => nowMs,
    pass: (ms) => {
      nowMs += ms;
    },
  };
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
    const time = createTime();
    const turns = createTurnQueue(time.now);
    const done: string[] = [];
    turns.work(() => {
      done.push("first");
      turns.write(() => done.push("write"));
    });
    for (const name of ["second", "third", "fourth"]) {
      turns.work(() => {
        done.push(name);
        time.pass(3);
      });
    }
    const seen: number[] = [];
    while (done.length < 5) {
      await nextTurn();
      if (done.length !== seen.at(-1)) seen.push(done.length);
    }
    expect(done).toEqual(["first", "write", "second", "third", "fourth"]);
    // The write and the work that follows it share a turn; each further task of 3 ms is a slice of its own.
    expect(seen.filter((count) => count > 0)).toEqual([1, 3, 4, 5]);
  });

  it("let the loop read again, however long the oldest work has waited", async () => {
    const time = createTime();
    const turns = createTurnQueue(time.now);
    const done: number[] = [];
    for (let task = 0; task < 300; task += 1) {
      turns.work(() => {
        done.push(task);
        time.pass(5);
      });
    }
    const slices = new Set<number>();
    let before = 0;
    while (done.length < 300) {
      await nextTurn();
      if (done.length > before) slices.add(done.length - before);
      before = done.length;
      // Reading takes a second between two slices: the oldest work has waited for long, and the longest slice is 20 ms.
      time.pass(1000);
    }
    expect(Math.max(...slices)).toBe(4);
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
