import { describe, expect, it } from "vitest";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import type { SummaryInput } from "../../../src/load/judge/summary-input.ts";
import { context } from "../../make/load/exchange-fixture.ts";
import { makeLoadResult, makeProfile } from "../../make/results/make-load-result.ts";

interface Case {
  /** How late the generator sent, in milliseconds. */
  readonly lateMs?: number;
  readonly latencyMs?: number;
  /** All at one instant, each sent so much after the one before. */
  readonly burstGapMs?: number;
  readonly stopReason?: SummaryInput["stopReason"];
  readonly limits?: SummaryInput["limits"];
  /** Status of every tenth answer; null breaks off without one. */
  readonly tenth?: number | null;
}

/** Four hundred requests over twenty seconds, all alike but for every tenth, judged by the gates. */
function judge(gates: readonly string[], shape: Case): LoadProfileResult {
  const {
    lateMs = 0,
    latencyMs = 50,
    stopReason = null,
    tenth = 200,
    limits = { over_admission: 0, violations: 0 },
    burstGapMs,
  } = shape;
  const records = Array.from({ length: 400 }, (_, index): LoadRecord => {
    const intendedMs = burstGapMs === undefined ? 50 * index : 0;
    const issuedMs = intendedMs + lateMs + (burstGapMs ?? 0) * index;
    const status = index % 10 === 9 ? tenth : 200;
    const outcome =
      status === null ? "transport-error" : status === 200 ? "ok" : status === 429 ? "rate-limited" : "server-error";
    const endMs = issuedMs + latencyMs;
    return {
      ...givenUpRecord({ ...context, intendedMs, issuedMs }, issuedMs),
      status,
      outcome,
      good: outcome === "ok",
      answeredMs: endMs,
      endMs,
      stream: { done: true, finished: status !== 200, broken: false, continuousUsage: false },
      firstTokenMs: issuedMs + latencyMs / 2,
      contentEvents: 10,
    };
  });
  return makeLoadResult(makeProfile(20, 20, gates), records, { stopReason, limits });
}

const verdicts = (result: LoadProfileResult): readonly string[] => result.gates.map(({ verdict }) => verdict);

describe("gates of a generator that was too slow", () => {
  it("are neither passed nor missed where lateness can have made the figure", () => {
    // Times are missed and rates are, both of which lateness brings about.
    const gates = ["user_latency.p95 < 100ms", "ttft.p50 < 1ms", "ok_rate > 1000", "ttft.p50 > 1ms"];
    const result = judge(gates, { lateMs: 400 });
    expect(result.validity.valid).toBe(false);
    expect(new Set(verdicts(result))).toEqual(new Set(["inconclusive"]));
    for (const gate of result.gates) {
      expect(gate.reason).toContain("run invalid (generator-limited): sends left");
      expect(gate.reason).toContain("would decide it");
      expect(gate.margin).toBeNull();
    }
    // The figure stays to be looked at.
    expect(result.gates[0]?.observed).toBeCloseTo(450);
  });

  it("stand where lateness could only have worked against them, and the profile is valid with a remark", () => {
    const gates = [
      "user_latency.p95 < 2s",
      "goodput > 0.5",
      "ok_rate > 1",
      "errors == 0",
      "rejects < 1",
      "limits.violations == 0",
    ];
    const result = judge(gates, { lateMs: 400 });
    expect(new Set(verdicts(result))).toEqual(new Set(["pass"]));
    expect(result.validity).toMatchObject({ valid: true, reasons: [] });
    expect(result.validity.remarks?.join()).toContain("generator-limited: sends left");
    // If the load was not put on the target, nothing is met.
    expect(new Set(verdicts(judge(gates, { lateMs: 1500 })))).toEqual(new Set(["inconclusive"]));
  });

  it("are the same gates that a punctual generator decides", () => {
    const gates = ["user_latency.p95 < 100ms", "user_latency.p95 < 40ms", "goodput > 0.5", "ok_rate > 1000", "errors == 0"];
    const result = judge(gates, {});
    expect(result.validity).toEqual({ valid: true, reasons: [] });
    expect(verdicts(result)).toEqual(["pass", "fail", "pass", "fail", "pass"]);
  });

  it("still fail on errors that only the target can cause", () => {
    expect(verdicts(judge(["error_rate < 1%", "errors == 0"], { lateMs: 400, tenth: 500 }))).toEqual(["fail", "fail"]);
    // A blocked loop invents timeouts, and held up sends arrive together: overload and rejects prove nothing then.
    for (const tenth of [null, 503]) {
      expect(verdicts(judge(["error_rate < 1%", "errors == 0"], { lateMs: 400, tenth }))).toEqual([
        "inconclusive",
        "inconclusive",
      ]);
      expect(verdicts(judge(["error_rate < 1%"], { tenth }))).toEqual(["fail"]);
    }
    expect(verdicts(judge(["rejects == 0", "reject_rate < 1%"], { lateMs: 400, tenth: 429 }))).toEqual([
      "inconclusive",
      "inconclusive",
    ]);
    // Fewer errors than asked for are no proof of anything: some may have been invented, some left out.
    expect(verdicts(judge(["errors == 41"], { lateMs: 400, tenth: 500 }))).toEqual(["inconclusive"]);
  });

  it("still fail on what limit checks proved and on what a stream held", () => {
    const broken = judge(["limits.violations == 0", "observations.unfinished == 0"], {
      lateMs: 400,
      limits: { over_admission: 0, violations: 2 },
    });
    expect(verdicts(broken)).toEqual(["fail", "fail"]);
  });

  it("stay untested where nobody looked", () => {
    expect(verdicts(judge(["limits.violations == 0"], { lateMs: 400, limits: null }))).toEqual(["untested"]);
  });
});

describe("a burst", () => {
  it("may take the time that its requests need one after the other, and not more", () => {
    const burst = (gapMs: number): LoadProfileResult => judge([], { lateMs: 0, burstGapMs: gapMs });
    expect(burst(0.2).validity.valid).toBe(true);
    expect(burst(0.6).validity.reasons.join()).toContain("generator-limited");
  });
});

describe("gates of a profile that did not run to its end", () => {
  it("keep the failures that were soundly measured and lose every pass", () => {
    const gates = ["user_latency.p95 < 40ms", "user_latency.p95 < 100ms", "error_rate < 1%", "requests >= 500", "goodput > 0.99"];
    const cut = judge(gates, { stopReason: { kind: "budget", words: "budget: used up" }, tenth: null });
    expect(cut.validity.reasons).toEqual(["ended early: budget: used up"]);
    expect(verdicts(cut)).toEqual(["fail", "inconclusive", "fail", "inconclusive", "inconclusive"]);
  });

  it("do not count answers that an interrupt gave up on", () => {
    const interrupted = { kind: "interrupted", words: "interrupted" } as const;
    expect(verdicts(judge(["errors == 0"], { stopReason: interrupted, tenth: null }))).toEqual(["inconclusive"]);
    expect(verdicts(judge(["errors == 0"], { stopReason: interrupted, tenth: 500 }))).toEqual(["fail"]);
  });

  it("are decided by the gate that ended it, and by no other", () => {
    const words = "hopeless: error_rate < 1% cannot be met any more, 5 requests missed it";
    const stopReason = { kind: "hopeless", words } as const;
    const result = judge(["error_rate < 1%", "user_latency.p95 < 100ms"], { stopReason, tenth: null });
    expect(result.validity.valid).toBe(true);
    expect(verdicts(result)).toEqual(["fail", "inconclusive"]);
    expect(result.gates[1]?.reason).toContain("was not run to its end: hopeless");
  });
});
