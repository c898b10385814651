import { createHash } from "node:crypto";
import type { ProfileContent } from "../../core/result/load-result.ts";
import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import type { TraceEntry } from "../arrivals/traces/trace-entry.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { WorkloadItem } from "../profile/workload-item.ts";

/**
 * Identifies a profile by what it sends and by what makes an answer of it good: two profiles of equal content put the same load on a
 * target, whatever their names are. Names, words, gates, workers and the conditions of an early end are no part of it. A file counts
 * by what it holds, not by its path.
 */
export function profileContent(profile: LoadProfile, trace: readonly TraceEntry[] | null): ProfileContent {
  const { arrivals, durationSeconds, warmUpSeconds, workload, key, engine, timeoutSeconds, maxInFlight, retry, slo } = profile;
  const { limitScenario, probe } = profile;
  const sent = {
    arrivals: trace === null ? arrivals : { ...arrivals, file: digest(trace), rows: null },
    durationSeconds,
    warmUpSeconds,
    workload: workload.map(withoutPaths),
    key,
    engine,
    timeoutSeconds,
    maxInFlight,
    retry,
    slo,
    limitScenario,
    ...(probe === undefined ? {} : { probe }),
  };
  return {
    digest: digest(sent),
    members: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, digest(value)])),
  };
}

function withoutPaths(item: WorkloadItem): object {
  if (!("promptsFile" in item)) return item;
  const { tokenizerFile: _path, ...rest } = item;
  return { ...rest, promptsFile: null };
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, sortMembers)).digest("hex").slice(0, 16);
}

/** The order in which members are written means nothing. */
function sortMembers(_name: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
