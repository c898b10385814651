import { describe, expect, it } from "vitest";
import { redactManifest } from "../../../src/config/redact-manifest.ts";
import { createRandom } from "../../../src/core/random.ts";
import { createLoopDelays } from "../../../src/load/generator/loop-delays.ts";
import { summarizeStep, type TriedLevel } from "../../../src/load/judge/summarize-step.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import { createLevelRepeats, type LevelRepeatInput, type LevelRepeats } from "../../../src/load/send/level-repeats.ts";
import type { LoadLine } from "../../../src/run/record/ledger-file.ts";
import { LedgerJudge } from "../../../src/run/record/ledger-judge.ts";
import { context } from "../../make/load/exchange-fixture.ts";
import { holdThread } from "../../make/hold-thread.ts";
import { keep } from "../../make/keep.ts";
import { manifestFor, startTarget } from "../../make/load/load-target.ts";
import { sendProfile, shortProfile } from "../../make/load/run-against.ts";

const seconds = 10;
const slo = { ttftMs: 300 };
const sweep = shortProfile({ arrivals: { kind: "sweep", ratesPerSecond: [10, 20], secondsPerRate: seconds, gaps: "even" }, slo });

/** A level whose requests all had this time to first token. */
function tried(ratePerSecond: number, ttftMs: number): TriedLevel {
  const records = Array.from({ length: ratePerSecond * seconds }, (_, index): LoadRecord => {
    const sentMs = (1000 * index) / ratePerSecond;
    const firstMs = sentMs + ttftMs;
    return {
      ...givenUpRecord({ ...context, slo: sweep.slo, intendedMs: sentMs, issuedMs: sentMs }, sentMs),
      status: 200,
      outcome: "ok",
      good: ttftMs <= slo.ttftMs,
      firstByteMs: firstMs,
      firstTokenMs: firstMs,
      answeredMs: firstMs + 20,
      endMs: firstMs + 20,
      stream: { done: true, finished: true, broken: false, continuousUsage: false },
    };
  });
  return { ratePerSecond, lengthMs: 1000 * seconds, records };
}

/** Of a loop that was this late in every second. */
function repeatsOf(loopDelayMs: number, changes: Partial<LevelRepeatInput> = {}): LevelRepeats | null {
  const late = Array.from({ length: seconds + 2 }, (_, second) => ({ second, loopDelayMaxMs: loopDelayMs }));
  return createLevelRepeats({
    profile: sweep,
    random: createRandom(1),
    delays: () => createLoopDelays(late, [], 0),
    sent: () => 0,
    affords: () => true,
    ...changes,
  });
}

/** Asks of these levels, one after the other. */
function ask(repeats: LevelRepeats | null, levels: readonly TriedLevel[]): readonly (boolean | undefined)[] {
  return levels.map((level) => repeats?.again(level, summarizeStep(level)));
}

describe("a level of a search", () => {
  it("is tried again where this machine was late enough to have turned its verdict, twice in a search", () => {
    const repeats = repeatsOf(90);
    expect(ask(repeats, [tried(10, 330), tried(10, 330), tried(20, 330)])).toEqual([true, true, false]);
    expect(repeats?.seconds).toBe(2 * seconds);
  });

  it("is not where its margin is larger, where the machine was not late, or where it holds", () => {
    expect(ask(repeatsOf(90), [tried(10, 500), tried(20, 100)])).toEqual([false, false]);
    expect(ask(repeatsOf(3), [tried(10, 330)])).toEqual([false]);
  });

  it("is tried again where it could not be sent in time", () => {
    const level = tried(10, 330);
    const judged = { ...summarizeStep(level), verdict: "inconclusive", limitedBy: "generator" } as const;
    expect(repeatsOf(3)?.again(level, judged)).toBe(true);
  });

  it("is not tried again beyond what was announced for the levels until then, nor beyond the budget", () => {
    // Each request of a level may have to be sent twice.
    expect(ask(repeatsOf(90, { sent: () => 100 }), [tried(10, 330)])).toEqual([true]);
    expect(ask(repeatsOf(90, { sent: () => 101 }), [tried(10, 330)])).toEqual([false]);
    const sentBy = [100, 300];
    const later = repeatsOf(90, { sent: () => sentBy.shift() ?? 0, affords: (requests) => requests > 100 });
    expect(ask(later, [tried(10, 330), tried(20, 330)])).toEqual([false, true]);
  });

  it("is its own matter in a search for capacity, and no matter of other loads", () => {
    const arrivals = { kind: "capacity-search", of: "rate", from: 10, to: 20, maxRequests: 10_000 };
    expect(repeatsOf(90, { profile: shortProfile({ arrivals, gates: ["ttft.p95 < 300ms"] }) })).toBeNull();
    expect(repeatsOf(90, { profile: shortProfile({}) })).toBeNull();
  });
});

it("a level in which this process stood still is sent again, its first trial counts for nothing, and the record is judged alike", async () => {
  const target = keep(
    await startTarget((_request, response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })),
    ),
  );
  const manifest = manifestFor(target.baseUrl);
  const rates = [80, 100];
  const profile = shortProfile({
    arrivals: { kind: "sweep", ratesPerSecond: rates, secondsPerRate: 1, gaps: "even" },
    slo: { userLatencyMs: 300 },
  });
  let answers = 0;
  const lines: string[] = [];
  const result = await sendProfile(profile, manifest, {
    repeatsLate: true,
    ledger: (json) => lines.push(json),
    onExchange() {
      answers += 1;
      if (answers === 20) holdThread(700);
    },
  });
  expect(result.validity.remarks?.at(-1)).toMatch(/^the generator was late at levels? 80\b.* tried again/);
  // Each level is one step, whatever had to be tried again; a busy machine may end the search by it.
  expect(result.steps.map(({ asked }) => asked)).toEqual(rates.slice(0, result.steps.length));
  expect(result.counts.planned).toBe(result.counts.sent + (result.counts.unsent ?? 0) - result.counts.retried);
  expect(result.counts.planned).toBeGreaterThanOrEqual(2 * 80);
  expect(result.counts.planned).toBeLessThanOrEqual(2 * (80 + 100));
  expect(target.seen).toHaveLength(result.counts.sent);
  const judge = new LedgerJudge({ strict: false });
  judge.take({ kind: "calibration", calibration: null });
  judge.take({ kind: "watch", manifest: redactManifest(manifest) });
  for (const line of lines) judge.take(JSON.parse(line) as LoadLine);
  const { limitChecks: _, ...again } = judge.finish().load!.profiles[0]!;
  expect(again).toEqual(JSON.parse(JSON.stringify(result)));
});
