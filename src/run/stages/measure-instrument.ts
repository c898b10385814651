import { randomBytes } from "node:crypto";
import { completeManifest } from "../../config/complete-manifest.ts";
import type { CalibrationResult } from "../../core/result/generator-health.ts";
import { calibrate } from "../../load/send/calibrate.ts";
import { startGauge } from "../../load/generator/gauge.ts";
import { createRealClock } from "../../wire/clock/real-clock.ts";

export interface InstrumentOptions {
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Called when the calibration failed, which is no reason to measure nothing. */
  readonly onFailure?: (words: string) => void;
}

/**
 * The error of this machine and what one worker of it can do, against a gauge that is started for a moment; null when it was
 * interrupted or failed.
 */
export async function measureInstrument({ seed, signal, onFailure }: InstrumentOptions): Promise<CalibrationResult | null> {
  try {
    const gauge = await startGauge();
    try {
      const manifest = completeManifest({
        target: { name: "gauge", baseUrl: gauge.baseUrl, plan: null, timeoutMs: 5000 },
        keys: { primary: randomBytes(16).toString("hex") },
        models: { chat: "gauge" },
      });
      return await calibrate({ manifest, clock: createRealClock(), seed, signal });
    } finally {
      await gauge.close();
    }
  } catch (error) {
    onFailure?.(`the calibration of this machine failed: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}
