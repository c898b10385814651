import type { LoadProfile } from "../profile/load-profile.ts";
import type { TraceEntry } from "./read-trace.ts";

/**
 * A profile with what its trace says: it takes as long as the trace unless the file reports a length, and then says how many
 * requests that leaves out.
 */
export function fitTrace(profile: LoadProfile, trace: readonly TraceEntry[], hasDuration: boolean): LoadProfile {
  const { arrivals, warmUpSeconds } = profile;
  if (arrivals.kind !== "trace") return profile;
  const lastMs = (trace.at(-1)?.atMs ?? 0) / arrivals.speed;
  // A send due at the very end is not within the window any more: whole seconds, and one of them at least.
  const wholeSeconds = Math.max(1, Math.floor(lastMs / 1000) + 1 - Math.floor(warmUpSeconds));
  const durationSeconds = hasDuration ? profile.durationSeconds : wholeSeconds;
  const totalMs = 1000 * (durationSeconds + warmUpSeconds);
  const leftOut = trace.filter((entry) => entry.atMs / arrivals.speed >= totalMs).length;
  return { ...profile, durationSeconds, arrivals: { ...arrivals, rows: { total: trace.length, leftOut } } };
}
