import { describe, expect, it } from "vitest";
import { examine, simulatedManifest } from "../simulation/exam.ts";
import { serveRequests, type Limiter } from "../simulation/request-service.ts";

const windowMs = 60_000;

/** Windows from the first request. The first refusal names the end of the window, and blocks for so long; those within the block state the true wait. */
function blocking(limit: number, blockMs: number): Limiter {
  const states = new Map<string, { startMs: number; used: number; blockedMs: number }>();
  return (context, group, decide) => {
    const now = context.now();
    const state = states.get(group) ?? { startMs: now, used: 0, blockedMs: 0 };
    states.set(group, state);
    const answer = (admitted: boolean, untilMs: number): void =>
      decide({ admitted, limit, remaining: limit - state.used, resetMs: untilMs, retryMs: untilMs - now });
    if (now < state.blockedMs) return answer(false, state.blockedMs);
    if (now >= state.startMs + windowMs || state.blockedMs > 0) Object.assign(state, { startMs: now, used: 0, blockedMs: 0 });
    const endMs = state.startMs + windowMs;
    if (state.used < limit) {
      state.used += 1;
      return answer(true, endMs);
    }
    state.blockedMs = Math.max(endMs, now + blockMs);
    answer(false, endMs);
  };
}

describe("the first refusal of a client that was never refused before", () => {
  it.each([3, 4])("is waited for in silence by the second key of the full exam (seed %i)", async (seed) => {
    const manifest = { ...simulatedManifest(30), control: null };
    const reported = async (blockMs: number): Promise<string> => {
      const { findings } = await examine({ seed, service: serveRequests(blocking(30, blockMs)), manifest, exam: "full" });
      return findings
        .filter(({ verdict, check }) => verdict === "fail" && check === "limits.retry-after-too-short")
        .map(({ message }) => message)
        .join();
    };
    expect(await reported(75_000)).toMatch(/key secondary, used meanwhile: #\d+ said to wait \d+ s; #\d+ waited/);
    expect(await reported(0)).toBe("");
  });
});
