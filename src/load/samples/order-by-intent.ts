import type { LoadRecord } from "./load-record.ts";

/**
 * Records as they were asked for. In the order of their ends the longest stand together at the last, and look as if they depended on
 * each other.
 */
export function orderByIntent(records: readonly LoadRecord[]): readonly LoadRecord[] {
  const instants = Float64Array.from(records, ({ intendedMs }) => intendedMs);
  if (instants.every((at, index) => index === 0 || at >= (instants[index - 1] ?? 0))) return records;
  const places = Uint32Array.from(instants.keys()).sort((a, b) => (instants[a] ?? 0) - (instants[b] ?? 0));
  return Array.from(places, (place) => records[place]).filter((record) => record !== undefined);
}
