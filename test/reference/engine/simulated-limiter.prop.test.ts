import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RateLimits } from "../../../src/reference/engine/keys/key-record.ts";
import { limitVariants } from "../../../src/reference/switches/lawful/limits.ts";
import { racingLimits } from "../../../src/reference/switches/patches/patch-admission-rules.ts";
import { startMs } from "./engine-bench.ts";
import { createSimulatedLimiter, type SimulatedAnswer } from "./simulated-limiter.ts";

interface Decided {
  readonly atMs: number;
  readonly answer: SimulatedAnswer;
}

const limits: RateLimits = { requestsPerWindow: 12, tokensPerWindow: 1000, windowMs: 60_000 };

/** Sends at these instants; a race writes `storeMs` after it read. */
function simulate(switchesOn: readonly string[], instants: readonly number[], storeMs = 1): readonly Decided[] {
  const on = new Set(switchesOn);
  const limiter = createSimulatedLimiter(limits, { on: (id) => on.has(id) }, 1);
  const steps = instants.flatMap((atMs, index) => [
    { atMs, index, step: "begin" as const },
    { atMs: atMs + (limiter.atomic ? 0 : storeMs), index, step: "commit" as const },
  ]);
  // Stable: an atomic commit follows its own begin, and a race lets others begin in between.
  steps.sort(
    (a, b) => a.atMs - b.atMs || (limiter.atomic ? a.index - b.index : Number(a.step === "commit") - Number(b.step === "commit")),
  );
  const pending = new Map<number, ReturnType<typeof limiter.begin>>();
  const decided: Decided[] = [];
  for (const { atMs, index, step } of steps) {
    if (step === "begin") pending.set(index, limiter.begin({ key: "k", endpoint: "models" }, atMs));
    else {
      const decision = pending.get(index)!;
      limiter.commit(decision, atMs);
      decided[index] = { atMs: instants[index]!, answer: limiter.answer(decision, atMs) };
    }
  }
  return decided;
}

function admittedWithin(decided: readonly Decided[], fromMs: number, toMs: number): number {
  return decided.filter(({ atMs, answer }) => answer.status === 200 && atMs >= fromMs && atMs < toMs).length;
}

/** Bursts and pauses; a good part of them at the limit. */
const histories = fc
  .array(
    fc.record({
      pauseMs: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 90_000 })),
      burst: fc.integer({ min: 1, max: 15 }),
    }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((steps) => {
    let atMs = startMs + 1234;
    return steps.flatMap(({ pauseMs, burst }) => {
      atMs += pauseMs;
      return Array.from({ length: burst }, () => atMs);
    });
  });

const variants = limitVariants.map(({ id }) => id).filter((id) => id.startsWith("limits/"));
const limit = limits.requestsPerWindow;

describe.each(["", ...variants])("lawful: %s", (id) => {
  const on = id === "" ? [] : [id];

  it("never admits more than any limiter of its limit may, nor shows more than remains to be had", () => {
    fc.assert(
      fc.property(histories, (instants) => {
        const decided = simulate(on, instants);
        for (const { atMs: fromMs } of decided) {
          for (const windows of [1, 2, 3]) {
            expect(admittedWithin(decided, fromMs, fromMs + windows * limits.windowMs)).toBeLessThanOrEqual(
              limit * (1 + windows),
            );
          }
        }
        for (const { answer } of decided) {
          const remaining = Number(answer.headers["x-ratelimit-remaining-requests"]);
          expect(remaining).toBeGreaterThanOrEqual(0);
          expect(remaining).toBeLessThanOrEqual(limit);
          if (answer.status === 429) expect(remaining).toBe(0);
        }
      }),
      { numRuns: 25 },
    );
  });

  it("admits whoever waits as long as it was asked to, if nobody else came, and not a second before", () => {
    fc.assert(
      fc.property(histories, (instants) => {
        const refused = simulate(on, instants).at(-1)!;
        if (refused.answer.status !== 429) return;
        const seconds = Number(refused.answer.body?.["retry-after"] ?? refused.answer.headers["retry-after"]);
        expect(Number.isInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThan(0);
        const answerAfter = (ms: number): number => simulate(on, [...instants, refused.atMs + ms]).at(-1)!.answer.status;
        expect(answerAfter(seconds * 1000)).toBe(200);
        if (seconds > 1) expect(answerAfter((seconds - 1) * 1000 - 1)).toBe(429);
      }),
      { numRuns: 25 },
    );
  });
});

describe("races", () => {
  it.each(racingLimits)("%s admits too many when requests overlap, and none too many when they do not", (id) => {
    const together = Array.from({ length: 40 }, () => startMs + 5000);
    expect(admittedWithin(simulate([id], together), 0, Infinity)).toBeGreaterThan(limit);
    const apart = Array.from({ length: 40 }, (_, index) => startMs + 5000 + index * 10);
    expect(admittedWithin(simulate([id], apart), 0, Infinity)).toBe(limit);
  });

  it("loses updates only where the counter is written back", () => {
    const together = Array.from({ length: 8 }, () => startMs + 5000);
    const shown = (id: string): readonly number[] =>
      simulate([id], together).map(({ answer }) => Number(answer.headers["x-ratelimit-remaining-requests"]));
    expect(shown("limits/lost-updates")).toEqual(Array.from({ length: 8 }, () => limit - 1));
    expect(shown("limits/check-then-increment")).toEqual([11, 10, 9, 8, 7, 6, 5, 4]);
  });
});

describe("tokens", () => {
  it("are held at the decision and settled later", () => {
    const limiter = createSimulatedLimiter(limits, { on: () => false }, 1);
    const decide = (tokens: number, atMs: number): ReturnType<typeof limiter.begin> => {
      const decision = limiter.begin({ key: "k", endpoint: "chat", tokens }, atMs);
      limiter.commit(decision, atMs);
      return decision;
    };
    const first = decide(900, startMs);
    expect(limiter.answer(decide(200, startMs + 1), startMs + 1).status).toBe(429);
    limiter.settle(first, 100, startMs + 2);
    const third = limiter.answer(decide(200, startMs + 3), startMs + 3);
    expect(third.status).toBe(200);
    expect(third.headers["x-ratelimit-remaining-tokens"]).toBe("700");
  });
});
