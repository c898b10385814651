import { afterAll, describe, expect, it } from "vitest";
import { calibrate } from "../../../src/load/send/calibrate.ts";
import { startGauge } from "../../../src/load/generator/gauge.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { manifestFor, startTarget, streamWords } from "../../make/load/load-target.ts";

const gauge = await startGauge();
afterAll(() => gauge.close());
const manifest = manifestFor(gauge.baseUrl);

describe("calibrate", () => {
  it("finds that no event is stamped before it was sent, and how late stamps are", async () => {
    const result = await calibrate({ manifest, clock: createRealClock(), seed: 1, seconds: 0.4 });
    expect(result).not.toBeNull();
    expect(result?.upperBoundHeld).toBe(1);
    expect(result?.eventErrorMs.samples).toBeGreaterThan(100);
    expect(result?.eventErrorMs.p50).toBeGreaterThan(0);
    expect(result?.ttftErrorMs.samples).toBeGreaterThan(5);
    expect(result?.tpotErrorMs?.samples).toBeGreaterThan(5);
    expect(result?.ceiling.requestsPerSecond).toBeGreaterThan(0);
    expect(result?.ceiling.eventsPerSecond).toBeGreaterThan(0);
  });

  it("fails by name on a service that does not stamp its events", async () => {
    const target = await startTarget((_, response) => streamWords(response, 3, 1, 1));
    await expect(
      calibrate({ manifest: manifestFor(target.baseUrl), clock: createRealClock(), seed: 1, seconds: 0.1 }),
    ).rejects.toThrow(/none of its \d+ events shows when it was sent/);
    await target.close();
  });

  it("gives up a gauge that does not start", async () => {
    await expect(startGauge(0)).rejects.toThrow("the gauge did not start within 0 s");
  });

  it("ends early when it is asked to", async () => {
    const signal = AbortSignal.timeout(150);
    const before = Date.now();
    expect(await calibrate({ manifest, clock: createRealClock(), seed: 1, seconds: 120, signal })).toBeNull();
    expect(Date.now() - before).toBeLessThan(100_000);
  });
});
