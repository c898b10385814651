import type { Clock } from "../core/clock.ts";
import type { Manifest } from "../core/manifest.ts";
import { ControlClock } from "../wire/clock/control-clock.ts";
import { createRealClock } from "../wire/clock/real-clock.ts";
import type { WallClock } from "../wire/clock/wall-clock.ts";
import { startReferenceProcess } from "./reference/reference-process.ts";
import type { RunOptions } from "./run-options.ts";

/** A target that is ready to be measured, and how time passes on it. */
export interface OpenTarget {
  readonly manifest: Manifest;
  readonly clock: Clock;
  /** `reference service` for the embedded one, else null. */
  readonly server: string | null;
  close(): Promise<void>;
}

export interface OpenTargetOptions {
  readonly latency: string;
  readonly time: "virtual" | "real";
  /** The first instant of the clock: that at which the clock of the stage before stopped. */
  readonly beginsAtMs?: number;
  readonly wall?: WallClock;
}

/**
 * The declared target, or the embedded reference service in a process of its own. If a control plane is given the clock is
 * virtual unless `time` is real: waiting for a window or a month then takes milliseconds.
 */
export async function openTarget(
  options: Pick<RunOptions, "manifest" | "seed" | "variants" | "mutants">,
  { latency, time, beginsAtMs = 0, wall }: OpenTargetOptions,
): Promise<OpenTarget> {
  const { manifest, seed, variants, mutants } = options;
  const service = manifest === null ? await startReferenceProcess({ latency, seed, variants, mutants }) : null;
  const measured = service?.manifest ?? manifest!;
  const control = time === "virtual" ? measured.control : null;
  return {
    manifest: measured,
    clock: control === null ? createRealClock(beginsAtMs, wall) : new ControlClock(control, beginsAtMs, wall),
    server: service === null ? null : "reference service",
    close: async () => service?.close(),
  };
}
