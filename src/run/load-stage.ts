import type { CalibrationResult, LoadResult } from "../core/load-result.ts";
import { calibrate } from "../load/calibrate.ts";
import { planLoad } from "../load/plan-load.ts";
import { runLoadProfile } from "../load/run-load-profile.ts";
import { openTarget, type OpenTarget } from "./open-target.ts";
import type { RunSession } from "./run-session.ts";

/** Runs the load profiles one after the other. */
export async function runLoadStage(session: RunSession, target: OpenTarget): Promise<LoadResult> {
  const { options } = session;
  const { manifest, clock } = target;
  const calibration = await measureInstrument(session, target);
  const profiles: LoadResult["profiles"][number][] = [];
  for (const { profile, trace } of options.profiles) {
    if (options.signal.aborted) break;
    const { sends, durationMs, arrivals } = planLoad({
      profile,
      manifest,
      seed: options.seed,
      ...(trace === null ? {} : { trace }),
    });
    const title = `${profile.id}, ${arrivals}`;
    options.onProgress({ kind: "stage-started", stage: "load", title, plannedRequests: sends.length, etaMs: durationMs });
    const wire = session.openWire(manifest, clock);
    try {
      profiles.push(
        await runLoadProfile({
          profile,
          manifest,
          sender: wire,
          clock,
          seed: options.seed,
          onProgress: options.onProgress,
          signal: options.signal,
          ...(trace === null ? {} : { trace }),
        }),
      );
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      session.invalidBecause.push(error.message);
    } finally {
      await wire.close();
    }
  }
  return { profiles, calibration };
}

/** The error of this machine, against a reference service in another process; null when it was interrupted. */
async function measureInstrument({ options }: RunSession, target: OpenTarget): Promise<CalibrationResult | null> {
  const { seed, signal } = options;
  // The embedded service is a gauge itself; beside any other target one is started for a moment.
  if (target.server !== null) return calibrate({ manifest: target.manifest, clock: target.clock, seed, signal });
  const gauge = await openTarget(
    { ...options, manifest: null, variants: [], mutants: [] },
    { latency: "realistic", time: "real" },
  );
  try {
    return await calibrate({ manifest: gauge.manifest, clock: gauge.clock, seed, signal });
  } finally {
    await gauge.close();
  }
}
