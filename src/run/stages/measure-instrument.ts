import { randomBytes } from "node:crypto";
import { completeManifest } from "../../config/complete-manifest.ts";
import type { Clock } from "../../core/clock.ts";
import type { CalibrationResult, InstrumentAccuracy } from "../../core/result/generator-health.ts";
import { isBlurred } from "../../load/gates/doubt-instrument.ts";
import { calibrate } from "../../load/send/calibrate.ts";
import { startGauge } from "../../load/generator/gauge.ts";
import { createRealClock } from "../../wire/clock/real-clock.ts";

export interface InstrumentOptions {
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Calibrations before one that fails is believed; default: three. */
  readonly mostTries?: number;
  /** Null: the signal ended it. Default: against a gauge that is started for a moment. */
  readonly calibrateOnce?: () => Promise<CalibrationResult | null>;
  readonly clock?: Clock;
}

const triesBeforeLoad = 3;
/** A moment in which a machine is busy may be over then. */
const pauseMs = 1000;
/** A try that took so long, a gauge that did not start, would take the time of the load when it is made again. */
const patienceMs = 30_000;

/**
 * The error of this machine and what one worker of it can do. A calibration that fails, that holds no time of one kind, or whose own bounds
 * did not hold is tried again: one busy moment says little of a load. One that fails in the end is no reason to measure nothing.
 */
export async function measureInstrument(options: InstrumentOptions): Promise<InstrumentAccuracy> {
  const { signal, mostTries = triesBeforeLoad, clock = createRealClock() } = options;
  const lastMs = clock.nowMs() + patienceMs;
  let accuracy = await tryOnce(options, clock);
  for (let tries = 1; tries < mostTries && isWorthAnother(accuracy) && clock.nowMs() < lastMs; tries += 1) {
    await clock.sleep(pauseMs, signal).catch(() => undefined);
    const next = await tryOnce(options, clock);
    // One that knows little is better than none, and one that the signal ended says nothing.
    if (next.calibration !== null || (accuracy.calibration === null && next.uncalibrated !== undefined)) accuracy = next;
  }
  return accuracy;
}

async function tryOnce({ seed, signal, ...options }: InstrumentOptions, clock: Clock): Promise<InstrumentAccuracy> {
  const { calibrateOnce = () => calibrateByGauge({ seed, signal, clock }) } = options;
  try {
    // A run that was ended waits for no gauge.
    return { calibration: signal.aborted ? null : await calibrateOnce() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { calibration: null, uncalibrated: `the calibration of this machine failed: ${why}` };
  }
}

async function calibrateByGauge(
  input: Pick<InstrumentOptions, "seed" | "signal"> & { readonly clock: Clock },
): Promise<CalibrationResult | null> {
  const gauge = await startGauge();
  try {
    const manifest = completeManifest({
      target: { name: "gauge", baseUrl: gauge.baseUrl, plan: null, timeoutMs: 5000 },
      keys: { primary: randomBytes(16).toString("hex") },
      models: { chat: "gauge" },
    });
    return await calibrate({ manifest, ...input });
  } finally {
    await gauge.close();
  }
}

/** Of one that the signal ended neither a calibration nor the lack of one is known. */
function isWorthAnother({ calibration, uncalibrated }: InstrumentAccuracy): boolean {
  if (calibration === null) return uncalibrated !== undefined;
  const { ttftErrorMs, eventErrorMs, interTokenErrorMs } = calibration;
  return isBlurred(calibration) || [ttftErrorMs, eventErrorMs, interTokenErrorMs].some(({ samples }) => samples === 0);
}
