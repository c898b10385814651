import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { planLoad } from "../../../src/load/plan/plan-load.ts";
import { describeBlockers } from "../../../src/load/profile/blocker.ts";
import { profileBlockers } from "../../../src/load/plan/profile-blockers.ts";
import { createHold } from "../../../src/load/send/hold.ts";
import { allocateRateAllowance, createRateAllowance } from "../../../src/load/send/rate-allowance.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import { runLoadProfile } from "../../../src/load/run-load-profile.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { answeredAt, answered } from "../../make/load/exchange-fixture.ts";
import { manifestFor } from "../../make/load/load-target.ts";

/** Wakes sleepers in the order of their instants, each as late as the test says. */
function createSimulation(latenessMs: () => number): {
  readonly clock: Clock;
  at(ms: number, run: () => void): void;
  end(): Promise<void>;
} {
  let nowMs = 0;
  const due: { readonly atMs: number; readonly run: () => void }[] = [];
  const at = (atMs: number, run: () => void): void => void due.push({ atMs, run });
  const clock: Clock = {
    nowMs: () => nowMs,
    wallMs: () => nowMs,
    sleep: (ms) => new Promise((resolve) => at(nowMs + ms + latenessMs(), resolve)),
  };
  const end = async (): Promise<void> => {
    for (;;) {
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      due.sort((a, b) => a.atMs - b.atMs);
      const next = due.shift();
      if (next === undefined) return;
      nowMs = Math.max(nowMs, next.atMs);
      next.run();
    }
  };
  return { clock, at, end };
}

function mostInOneSecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(0, ...sorted.map((from) => sorted.filter((time) => time >= from && time < from + 999.99).length));
}

describe("a rate allowance", () => {
  it("lets no second hold more than it allows, whoever asks when, and loses nobody", async () => {
    const wishes = fc.array(fc.double({ min: 0, max: 3000, noNaN: true }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        wishes,
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.nat(40), { minLength: 5 }),
        async (times, allowed, late) => {
          let turn = 0;
          const simulation = createSimulation(() => late[turn++ % late.length] ?? 0);
          // Two loops that share the memory.
          const memory = allocateRateAllowance(allowed);
          const loops = [0, 1].map(() => createRateAllowance(memory ?? new SharedArrayBuffer(0)));
          const sent: number[] = [];
          const { signal } = new AbortController();
          for (const [index, atMs] of times.entries()) {
            simulation.at(atMs, () => {
              const place = loops[index % 2]!.take(simulation.clock, signal);
              // It may wait for a connection, and is given up now and then.
              const write = (): void => {
                if (index % 5 === 4) place.ended(null);
                else place.written();
                sent.push(simulation.clock.nowMs());
              };
              const begin = (): void => simulation.at(simulation.clock.nowMs() + (late[index % late.length] ?? 0) ** 2, write);
              if (place.free === null) begin();
              else void place.free.then(begin);
            });
          }
          await simulation.end();
          expect(sent).toHaveLength(times.length);
          expect(mostInOneSecond(sent)).toBeLessThanOrEqual(allowed);
        },
      ),
    );
  });

  it("uses no place while the target has asked to wait, also for what waits already", async () => {
    const allowed = 3;
    const wishes = fc.array(fc.double({ min: 0, max: 3000, noNaN: true }), { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        wishes,
        fc.integer({ min: 0, max: 3000 }),
        fc.integer({ min: 1, max: 4000 }),
        async (times, askedMs, waitMs) => {
          const simulation = createSimulation(() => 0);
          const hold = createHold();
          const allowance = createRateAllowance(allocateRateAllowance(allowed) ?? new SharedArrayBuffer(0));
          const sent: number[] = [];
          const { signal } = new AbortController();
          simulation.at(askedMs, () => hold.extend(askedMs + waitMs));
          for (const atMs of times) {
            simulation.at(atMs, () => {
              const place = allowance.take(simulation.clock, signal, 0, hold);
              const write = (): void => {
                place.written();
                sent.push(simulation.clock.nowMs());
              };
              if (place.free === null) write();
              else void place.free.then(write);
            });
          }
          await simulation.end();
          expect(sent).toHaveLength(times.length);
          expect(sent.filter((atMs) => atMs > askedMs && atMs < askedMs + waitMs)).toEqual([]);
          expect(mostInOneSecond(sent)).toBeLessThanOrEqual(allowed);
        },
      ),
    );
  });

  it("holds back nothing of what stays below it, and takes rates below one a second", () => {
    const { clock } = createSimulation(() => 0);
    const { signal } = new AbortController();
    const five = createRateAllowance(allocateRateAllowance(5) ?? new SharedArrayBuffer(0));
    expect(Array.from({ length: 6 }, () => five.take(clock, signal).free === null)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
    ]);
    let nowMs = 0;
    const slow = createRateAllowance(allocateRateAllowance(0.5) ?? new SharedArrayBuffer(0));
    const moving = { ...clock, nowMs: () => nowMs, sleep: () => new Promise<void>(() => {}) };
    const taken = [0, 1500, 2001].map((ms) => {
      nowMs = ms;
      const place = slow.take(moving, signal);
      place.written();
      return place.free === null;
    });
    expect(taken).toEqual([true, false, true]);
  });
});

describe("a target that is not this machine", () => {
  const profileOf = (change: object): ReturnType<typeof readProfile> =>
    readProfile(JSON.stringify({ id: "x", title: "X", workload: [{ endpoint: "models" }], durationSeconds: 6, ...change }), "x");
  const manifest = manifestFor("https://api.example.test");

  it("is not sent bursts that a mean rate hides", () => {
    const gamma = profileOf({ arrivals: { kind: "gamma", ratePerSecond: 5, shape: 0.02 } });
    const plan = planLoad({ profile: gamma, manifest, seed: 1 });
    expect(plan.peakPerSecond).toBeGreaterThan(20);
    expect(describeBlockers(profileBlockers(gamma, manifest, plan))).toEqual([
      `it sends up to ${plan.peakPerSecond} requests in one second to a target that is not this machine; permissions.loadUpToRps allows 5 (--allow-load permits more)`,
    ]);
    const allowed = { ...manifest, permissions: { ...manifest.permissions, loadUpToRps: plan.peakPerSecond } };
    expect(profileBlockers(gamma, allowed, plan)).toEqual([]);
  });

  it.each([
    ["retries", { arrivals: { kind: "constant", ratePerSecond: 4 }, retry: { max: 3, retryAfter: "ignore" } }],
    [
      "later turns",
      {
        arrivals: { kind: "sessions", ratePerSecond: 1, turns: 4, thinkSeconds: 0 },
        workload: [{ endpoint: "chat", stream: false }],
      },
    ],
    ["a closed loop", { arrivals: { kind: "closed", concurrency: 20 }, retry: { max: 2, retryAfter: "ignore" } }],
  ])("is never sent more than permitted in one second by %s", async (_, change) => {
    const profile = profileOf({ abort: { errorRate: 1, minimum: 10_000 }, ...change, durationSeconds: 3 });
    const clock = createRealClock();
    const sent: number[] = [];
    const sender = {
      send: (request: SendRequest): Promise<Exchange> => {
        const nowMs = clock.nowMs();
        if (request.signal?.aborted !== true) sent.push(nowMs);
        const answer = profile.arrivals.kind === "sessions" ? answered(200, {}) : answered(503, {}, { "retry-after": "0" });
        return Promise.resolve(answeredAt(answer, request, nowMs));
      },
      burst: () => Promise.resolve([]),
    };
    const seed = [1, 2, 3, 4, 5, 6, 7, 8].find(
      (one) => profileBlockers(profile, manifest, planLoad({ profile, manifest, seed: one })).length === 0,
    );
    await runLoadProfile({ profile, manifest, sender, clock, seed: seed ?? 1 });
    expect(sent.length).toBeGreaterThan(4);
    expect(mostInOneSecond(sent)).toBeLessThanOrEqual(5);
  });
});
