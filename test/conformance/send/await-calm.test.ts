import { expect, it } from "vitest";
import { awaitCalm } from "../../../src/conformance/send/await-calm.ts";

/** How many timers are waited for, and how long in all, where the first of them are late by so much. */
async function lookWith(lateMs: number, times: number): Promise<{ readonly looks: number; readonly ms: number }> {
  let [now, looks] = [0, 0];
  const sleep = async (ms: number): Promise<void> => {
    looks += 1;
    now += ms + (looks <= times ? lateMs : 0);
  };
  await awaitCalm({ nowMs: () => now, sleep }, new AbortController().signal);
  return { looks, ms: now };
}

it("a calm instrument is waited for a tenth of a second", async () => {
  expect(await lookWith(0, 0)).toEqual({ looks: 5, ms: 100 });
});

it("a busy one is waited for until several timers in a row come in time", async () => {
  expect((await lookWith(300, 7)).looks).toBe(12);
});

it("one that stays busy is not waited for longer than five seconds", async () => {
  const { ms } = await lookWith(400, Number.POSITIVE_INFINITY);
  expect(ms).toBeGreaterThan(4900);
  expect(ms).toBeLessThan(5500);
});
