import type { CalibrationResult, LoadProfileResult, LoadResult } from "../core/load-result.ts";
import { calibrate } from "../load/calibrate.ts";
import { planLoad } from "../load/plan-load.ts";
import { loadKeyName } from "../load/profile-blockers.ts";
import type { LoadedProfile } from "../load/read-profile.ts";
import { runLoadProfile } from "../load/run-load-profile.ts";
import { learnRequestLimit } from "./learn-request-limit.ts";
import { openTarget, type OpenTarget } from "./open-target.ts";
import type { RunSession } from "./run-session.ts";
import { watchLimits } from "./watch-limits.ts";

/** Runs the load profiles one after the other. */
export async function runLoadStage(session: RunSession, target: OpenTarget): Promise<LoadResult> {
  const { options } = session;
  const calibration = await measureInstrument(session, target);
  const profiles: LoadProfileResult[] = [];
  for (const loaded of options.profiles) {
    if (options.signal.aborted) break;
    try {
      profiles.push(await runProfile(session, target, loaded));
    } catch (error) {
      // What stands against a profile is told before anything of it is sent.
      if (!(error instanceof RangeError)) throw error;
      session.invalidBecause.push(`load ${loaded.profile.id}: ${error.message}`);
    }
  }
  return { profiles, calibration };
}

async function runProfile(
  session: RunSession,
  target: OpenTarget,
  { profile, trace }: LoadedProfile,
): Promise<LoadProfileResult> {
  const { seed, signal, onProgress } = session.options;
  const { clock } = target;
  const wire = session.openWire(target.manifest, clock);
  try {
    const sized = profile.arrivals.kind === "bursts";
    const manifest = sized
      ? await learnRequestLimit(target.manifest, loadKeyName(profile.key, target.manifest), wire)
      : target.manifest;
    const traced = trace === null ? {} : { trace };
    const { sends, durationMs, arrivals } = planLoad({ profile, manifest, seed, ...traced });
    const title = `${profile.id}, ${arrivals}`;
    onProgress({ kind: "stage-started", stage: "load", title, plannedRequests: sends.length, etaMs: durationMs });
    const watch = watchLimits(profile.id, manifest, session.options.strict);
    const { onExchange, figure: limits } = watch;
    const input = { profile, manifest, sender: wire, clock, seed, onProgress, onExchange, limits, signal, ...traced };
    const result = await runLoadProfile(input);
    session.loadFindings.push(...watch.findings());
    return result;
  } finally {
    await wire.close();
  }
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
