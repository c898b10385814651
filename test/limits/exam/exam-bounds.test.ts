import { describe, expect, it } from "vitest";
import { runExam } from "../../make/run-exam.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Sender } from "../../../src/core/exchange/send-request.ts";
import { readHistory } from "../../../src/limits/history/history.ts";
import { defaultTolerances } from "../../../src/limits/history/tolerances.ts";
import { mostRequests, roundSize } from "../../../src/limits/probe/schedule-steps.ts";
import { longestExamMinutes } from "../../../src/limits/exam/longest-exam-minutes.ts";
import type { LimitsRun } from "../../../src/limits/exam/run-limits.ts";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { ControlClock } from "../../../src/wire/clock/control-clock.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import { simulatedManifest } from "../simulation/exam.ts";
import { serveRequests, type Limiter } from "../simulation/request-service.ts";
import { createSimulation } from "../simulation/simulator.ts";

const limit = 60;
const windowMs = 60_000;

/** A queue that spaces requests: it refuses none, and what remains never falls. */
const spacing =
  (stated: number): Limiter =>
  (context, _group, decide) =>
    decide({ admitted: true, limit: stated, remaining: stated - 1, resetMs: context.now() + windowMs, retryMs: 0 });
const spacedQueue = spacing(limit);

describe("the exam ends", () => {
  it("where remaining never falls, after a bounded number of requests", async () => {
    const simulation = createSimulation(5, serveRequests(spacedQueue));
    await runExam({ manifest: simulatedManifest(limit), ...simulation }, 5);
    const drained = simulation.exchanges.filter(({ intent }) => intent.kind === "limit" && intent.phase === "D");
    // Four times the limit on the way to the last request, two and a half times the limit and 60 for the drain, a round each.
    expect(drained.length).toBeGreaterThan(4 * limit);
    expect(drained.length).toBeLessThanOrEqual(6.5 * limit + 60 + 2 * 17);
  });

  it("where a large limit is never used up, after the requests that a schedule may spend on it", async () => {
    const simulation = createSimulation(5, serveRequests(spacing(12_000)));
    await runExam({ manifest: simulatedManifest(limit), ...simulation }, 5);
    const drained = simulation.exchanges.filter(({ intent }) => intent.kind === "limit" && intent.phase === "D");
    // Over by a round each, as far as one was begun.
    expect(drained.length).toBeGreaterThan(mostRequests - roundSize);
    expect(drained.length).toBeLessThanOrEqual(mostRequests + 2 * (roundSize + 1));
  });

  it("when the target made it take as long as its plan allows for", async () => {
    const simulation = createSimulation(5, serveRequests(spacedQueue));
    const { sender, clock } = simulation;
    const slow: Sender = {
      send: async (request) => clock.sleep(240_000).then(async () => sender.send(request)),
      burst: async (requests) => clock.sleep(240_000).then(async () => sender.burst(requests)),
    };
    const manifest = { ...simulatedManifest(limit), control: null };
    const startedMs = clock.nowMs();
    const { plan, stopped } = await runExam({ manifest, sender: slow, clock }, 5);
    const mostMinutes = longestExamMinutes(plan, manifest)!;
    expect(stopped).toBe(`the target made the exam take ${mostMinutes} min, the most that its plan allows for`);
    const minutes = (clock.nowMs() - startedMs) / 60_000;
    expect(minutes).toBeGreaterThan(mostMinutes);
    // One answer and one wait are under way when the time is over.
    expect(minutes).toBeLessThan(mostMinutes + 10);
  });

  it("on the signal: nothing is sent any more, and what never left is no operation", async () => {
    const service = await startReferenceService({ clock: "manual" });
    const manifest = { ...service.manifest, permissions: { ...service.manifest.permissions, patchSettings: false } };
    const clock = new ControlClock(manifest.control!);
    const stop = new AbortController();
    const exchanges: Exchange[] = [];
    const wire = createWire({ manifest, clock, onExchange: (exchange) => exchanges.push(exchange) });
    let askedAfterStop = 0;
    let answers: readonly Exchange[] = [];
    /** The abort comes while a burst is handed over, so that its requests are refused by the wire. */
    const sender: Sender = {
      send: async (request) => {
        if (stop.signal.aborted) askedAfterStop += 1;
        return wire.send(request);
      },
      burst: async (requests) => {
        if (stop.signal.aborted) askedAfterStop += 1;
        stop.abort();
        answers = await wire.burst(requests);
        return answers;
      },
    };
    let run: LimitsRun;
    try {
      run = await runExam({ manifest, sender, clock }, 1, { signal: stop.signal });
    } finally {
      await wire.close();
      await service.close();
    }
    expect(run.stopped).toBe("interrupted");
    expect(askedAfterStop).toBe(0);
    const refused = answers.filter(({ failure }) => failure?.kind === "aborted");
    expect(refused.length).toBeGreaterThan(1);
    expect(refused.every(({ connection }) => connection === null)).toBe(true);
    const seqs = new Set(refused.map(({ seq }) => seq));
    expect(readHistory(exchanges, defaultTolerances).ops.filter(({ seq }) => seqs.has(seq))).toEqual([]);
  });

  it("with a request that was given up on its connection kept as one that may have been counted", async () => {
    const simulation = createSimulation(5, serveRequests(spacedQueue));
    const answered = await simulation.sender.send({
      stage: "limits",
      caseId: "limits/requests",
      label: "one",
      intent: { kind: "limit", policy: "requests", phase: "A" },
      endpoint: "models",
      method: "GET",
      path: "/v1/models",
      credential: { kind: "bearer", key: "primary" },
    });
    const givenUp: Exchange = {
      ...answered,
      response: null,
      failure: { kind: "aborted", message: "the request was given up" },
      connection: { id: 1, reused: false },
    };
    const outcomes = (exchange: Exchange): readonly string[] =>
      readHistory([exchange], defaultTolerances).ops.map(({ outcome }) => outcome);
    expect(outcomes(givenUp)).toEqual(["maybe"]);
    expect(outcomes({ ...givenUp, connection: null })).toEqual([]);
  });
});
