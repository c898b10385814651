import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import { ServiceClock } from "../../../src/reference/clock/service-clock.ts";
import {
  createLatencyModel,
  type Job,
  type LatencyModel,
  type Pace,
} from "../../../src/reference/engine/latency/latency-model.ts";
import { latencyPresets, type LatencyPreset } from "../../../src/reference/engine/latency/latency-preset.ts";
import { startMs } from "./engine-bench.ts";

const steady: LatencyPreset = {
  slots: 2,
  maxQueue: 2,
  overheadMs: 50,
  perPromptTokenMs: 0.5,
  interTokenMs: 10,
  loadFactor: 1,
  jitter: 0,
  perImageMs: 100,
  perAudioSecondMs: 20,
};
const chat: Job = { kind: "tokens", promptTokens: 100, completionTokens: 4 };

async function begin(model: LatencyModel, job: Job = chat, seed = 1, signal?: AbortSignal): Promise<Pace> {
  const start = await model.start(job, createRandom(seed), signal);
  if (start.kind !== "started") throw new Error(start.kind);
  return start.pace;
}

describe("latency model", () => {
  it("plans the first token by overhead and prompt, the others by the inter-token time", async () => {
    const model = createLatencyModel(new ServiceClock({ kind: "manual", startMs }), steady);
    const pace = await begin(model);
    expect([0, 1, 2, 3].map((index) => pace.tokenAtMs(index) - startMs)).toEqual([100, 110, 120, 130]);
    expect(pace.endAtMs() - startMs).toBe(130);
    expect([99, 100, 115, 130].map((ms) => pace.producedBy(startMs + ms))).toEqual([0, 1, 2, 4]);
    expect((await begin(model, { kind: "images", count: 2, effort: 2 })).endAtMs() - startMs).toBe(450);
  });

  it("scales audio with its length and a stall with everything after it", async () => {
    const model = createLatencyModel(new ServiceClock({ kind: "manual", startMs }), steady);
    expect((await begin(model, { kind: "audio", seconds: 3 })).endAtMs() - startMs).toBe(110);
    const pace = await begin(model);
    pace.stall(2, 1000);
    expect([1, 2, 3].map((index) => pace.tokenAtMs(index) - startMs)).toEqual([110, 1120, 1130]);
  });

  it("serves as many as it has slots, queues the next in order, turns the rest away", async () => {
    const clock = new ServiceClock({ kind: "manual", startMs });
    const model = createLatencyModel(clock, steady);
    const [first] = [await begin(model), await begin(model)];
    const third = begin(model);
    const fourth = begin(model);
    expect((await model.start(chat, createRandom(1))).kind).toBe("overloaded");
    expect(model.load()).toEqual({ running: 2, waiting: 2 });
    await clock.advance(500);
    first.release();
    first.release();
    expect((await third).queuedMs).toBe(500);
    expect((await third).tokenAtMs(0) - startMs).toBe(600);
    expect(model.load()).toEqual({ running: 2, waiting: 1 });
    await clock.advance(100);
    (await third).release();
    expect((await fourth).queuedMs).toBe(600);
  });

  it("gives up the place of a client that leaves", async () => {
    const model = createLatencyModel(new ServiceClock({ kind: "manual", startMs }), steady);
    const running = [await begin(model), await begin(model)];
    const leaving = new AbortController();
    const left = model.start(chat, createRandom(1), leaving.signal);
    leaving.abort();
    expect((await left).kind).toBe("abandoned");
    expect((await model.start(chat, createRandom(1), leaving.signal)).kind).toBe("abandoned");
    for (const pace of running) pace.release();
    expect(model.load()).toEqual({ running: 0, waiting: 0 });
  });

  it("grows slower with the share of busy slots", async () => {
    const model = createLatencyModel(new ServiceClock({ kind: "manual", startMs }), { ...steady, loadFactor: 3 });
    expect((await begin(model)).tokenAtMs(0) - startMs).toBe(100);
    expect((await begin(model)).tokenAtMs(0) - startMs).toBe(300);
  });

  it("jitters by the seed alone, within 70 % and around the mean", async () => {
    const model = createLatencyModel(new ServiceClock({ kind: "manual", startMs }), { ...steady, jitter: 0.3, slots: 10_000 });
    const long: Job = { kind: "tokens", promptTokens: 0, completionTokens: 2000 };
    const gaps = (pace: Pace): readonly number[] =>
      Array.from({ length: 1999 }, (_, index) => pace.tokenAtMs(index + 1) - pace.tokenAtMs(index));
    const drawn = gaps(await begin(model, long, 7));
    expect(gaps(await begin(model, long, 7))).toEqual(drawn);
    expect(gaps(await begin(model, long, 8))).not.toEqual(drawn);
    expect(Math.min(...drawn)).toBeGreaterThan(2.99);
    expect(Math.max(...drawn)).toBeLessThan(17.01);
    expect(drawn.reduce((sum, gap) => sum + gap, 0) / drawn.length).toBeCloseTo(10, 0);
  });

  it("does not drift: work done between two tokens delays neither the next nor the last", async () => {
    const clock = new ServiceClock({ kind: "manual", startMs });
    const pace = await begin(createLatencyModel(clock, steady), { kind: "tokens", promptTokens: 0, completionTokens: 200 });
    const lateness: number[] = [];
    const stream = async (): Promise<void> => {
      for (let index = 0; index < 200; index += 1) {
        await clock.sleepUntil(pace.tokenAtMs(index));
        lateness.push(clock.wallMs() - pace.tokenAtMs(index));
        await clock.sleepUntil(clock.wallMs() + 7);
      }
    };
    const done = stream();
    await clock.advance(3000);
    await done;
    expect(Math.max(...lateness)).toBe(0);
  });

  it("never lets a token out early in real time", async () => {
    const clock = new ServiceClock();
    const pace = await begin(createLatencyModel(clock, { ...steady, overheadMs: 5, interTokenMs: 4 }), {
      kind: "tokens",
      promptTokens: 0,
      completionTokens: 20,
    });
    for (let index = 0; index < 20; index += 1) {
      await clock.sleepUntil(pace.tokenAtMs(index));
      expect(clock.wallMs()).toBeGreaterThanOrEqual(pace.tokenAtMs(index));
    }
    clock.close();
  });

  it("answers at once with the instant preset and queues nobody", async () => {
    const model = createLatencyModel(new ServiceClock({ kind: "manual", startMs }), latencyPresets.instant);
    const paces = await Promise.all(
      Array.from({ length: 500 }, () => begin(model, { kind: "tokens", promptTokens: 900, completionTokens: 50 })),
    );
    expect(new Set(paces.map((pace) => pace.endAtMs()))).toEqual(new Set([startMs]));
  });

  it("keeps the realistic preset within its announced figures", async () => {
    const model = createLatencyModel(new ServiceClock({ kind: "manual", startMs }), latencyPresets.realistic);
    const firstTokens = await Promise.all(
      Array.from(
        { length: 24 },
        async (_, seed) =>
          (await begin(model, { kind: "tokens", promptTokens: 64, completionTokens: 2 }, seed)).tokenAtMs(0) - startMs,
      ),
    );
    const sorted = firstTokens.toSorted((a, b) => a - b);
    expect(sorted[12]).toBeGreaterThan(60);
    expect(sorted[12]).toBeLessThan(120);
  });

  it("frees waiting jobs when a preset with more slots is set", async () => {
    const model = createLatencyModel(new ServiceClock({ kind: "manual", startMs }), steady);
    await begin(model);
    await begin(model);
    const waiting = begin(model);
    model.setPreset({ ...steady, slots: 3 });
    expect((await waiting).queuedMs).toBe(0);
    expect(model.preset().slots).toBe(3);
  });
});
