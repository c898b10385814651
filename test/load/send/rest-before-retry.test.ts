import { describe, expect, it } from "vitest";
import { jumpingClock } from "../../make/jumping-clock.ts";
import { createHold, type Hold } from "../../../src/load/send/hold.ts";
import { restBeforeRetry } from "../../../src/load/send/rest-before-retry.ts";

async function rest(hold: Hold, during?: (nowMs: number) => void, untilMs = 10_000) {
  const clock = jumpingClock(during);
  const { signal } = new AbortController();
  const mayRepeat = await restBeforeRetry({ clock, delayMs: 250, hold, untilMs, signal });
  return { mayRepeat, atMs: clock.nowMs() };
}

describe("a request that is sent again", () => {
  it("comes after its own wait where nobody else was asked to wait", async () => {
    expect(await rest(createHold())).toEqual({ mayRepeat: true, atMs: 250 });
  });

  it("comes after what another was asked to wait for, before or meanwhile", async () => {
    const before = createHold();
    before.extend(900);
    expect(await rest(before)).toEqual({ mayRepeat: true, atMs: 900 });
    const meanwhile = createHold();
    const extendOnce = (nowMs: number): void => (nowMs === 0 ? meanwhile.extend(3000) : meanwhile.extend(4000));
    expect(await rest(meanwhile, extendOnce)).toEqual({ mayRepeat: true, atMs: 4000 });
  });

  it("is not sent where that would be after the end of the profile, nor when that was ended", async () => {
    const days = createHold();
    days.extend(86_400_000);
    expect(await rest(days)).toEqual({ mayRepeat: false, atMs: 0 });
    const clock = jumpingClock();
    const signal = AbortSignal.abort();
    expect(await restBeforeRetry({ clock, delayMs: 0, hold: createHold(), untilMs: 1, signal })).toBe(false);
  });
});
