import { randomBytes } from "node:crypto";
import { completeManifest } from "../../config/complete-manifest.ts";
import type { InstrumentAccuracy } from "../../core/result/generator-health.ts";
import { calibrate } from "../../load/send/calibrate.ts";
import { startGauge } from "../../load/generator/gauge.ts";
import { createRealClock } from "../../wire/clock/real-clock.ts";

export interface InstrumentOptions {
  readonly seed: number;
  readonly signal: AbortSignal;
}

/**
 * The error of this machine and what one worker of it can do, against a gauge that is started for a moment. A calibration that fails
 * is no reason to measure nothing.
 */
export async function measureInstrument({ seed, signal }: InstrumentOptions): Promise<InstrumentAccuracy> {
  try {
    const gauge = await startGauge();
    try {
      const manifest = completeManifest({
        target: { name: "gauge", baseUrl: gauge.baseUrl, plan: null, timeoutMs: 5000 },
        keys: { primary: randomBytes(16).toString("hex") },
        models: { chat: "gauge" },
      });
      return { calibration: await calibrate({ manifest, clock: createRealClock(), seed, signal }) };
    } finally {
      await gauge.close();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { calibration: null, uncalibrated: `the calibration of this machine failed: ${why}` };
  }
}
