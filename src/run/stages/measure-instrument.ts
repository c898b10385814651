import type { CalibrationResult } from "../../core/result/generator-health.ts";
import { calibrate } from "../../load/generator/calibrate.ts";
import { openTarget } from "../open-target.ts";

/**
 * The error of this machine and what one worker of it can do, against a reference service in another process, started for a moment;
 * null when it was interrupted.
 */
export async function measureInstrument(options: {
  readonly seed: number;
  readonly signal: AbortSignal;
}): Promise<CalibrationResult | null> {
  const { seed, signal } = options;
  const gauge = await openTarget({ manifest: null, variants: [], mutants: [], seed }, { latency: "realistic", time: "real" });
  try {
    return await calibrate({ manifest: gauge.manifest, clock: gauge.clock, seed, signal });
  } finally {
    await gauge.close();
  }
}
