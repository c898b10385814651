import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { createRandom } from "../../../src/core/random.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { drawNormal } from "../../../src/load/workload/draw-length.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import { fixedCalibration } from "../../features/agents/agent-card-fixture.ts";
import { context } from "../load/exchange-fixture.ts";
import { makeLoadResult, makeProfile } from "./make-load-result.ts";

export interface Shape {
  readonly seed: number;
  /** Factor on every latency. */
  readonly factor?: number;
  /** Share of requests that fail. */
  readonly errors?: number;
  readonly perSecond?: number;
  readonly seconds?: number;
  readonly arrivals?: string;
}

/** A profile whose latencies are lognormal and correlated in time, as queues make them. */
export function profileResult(shape: Shape): LoadProfileResult {
  const { seed, factor = 1, errors = 0, perSecond = 20, seconds = 30 } = shape;
  const random = createRandom(seed);
  const records: LoadRecord[] = [];
  let mood = 0;
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const intendedMs = (1000 * index) / perSecond;
    mood = 0.8 * mood + 0.15 * drawNormal(random);
    const latency = factor * 100 * Math.exp(mood + 0.2 * drawNormal(random));
    const ok = random.next() >= errors;
    records.push({
      ...givenUpRecord({ ...context, intendedMs, issuedMs: intendedMs }, intendedMs),
      outcome: ok ? "ok" : "server-error",
      status: ok ? 200 : 500,
      good: ok && latency < 500,
      answeredMs: intendedMs + latency,
      endMs: intendedMs + latency,
      outputTokens: ok ? 10 : null,
    });
  }
  return makeLoadResult(makeProfile(perSecond, seconds, ["user_latency.p95 < 300ms"]), records, { random });
}

export function resultOf(profiles: readonly LoadProfileResult[], change: Partial<Result> = {}): Result {
  return {
    schemaVersion: "1.0",
    runId: "run",
    verdict: "passed",
    reason: "",
    exitCode: 0,
    target: { name: "t", baseUrl: "http://127.0.0.1:1", plan: null, server: null },
    tool: { name: "assay", version: "0.1.0", node: "v20", platform: "linux" },
    spec: { title: "s", sha256: "abc" },
    command: [],
    seed: 1,
    startedAt: "2026-01-01T00:00:00Z",
    durationMs: 1,
    strict: false,
    interrupted: false,
    spent: { requests: 0, promptTokens: 0, completionTokens: 0, estimatedUsd: 0 },
    health: { valid: true, reasons: [], loopUtilization: null, loopDelayMaxMs: null, clockOffsetMs: null, transportRaces: 0 },
    scope: null,
    conformance: null,
    limits: null,
    load: { profiles, calibration: fixedCalibration },
    passive: { responsesSeen: 0, responsesJudged: 0, account: [], violations: [] },
    findings: [],
    notes: [],
    ...change,
  };
}
