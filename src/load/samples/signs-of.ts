import type { LoadRecord } from "./load-record.ts";

/** Instants at which something of an answer arrived, on the run clock. */
export function signsOf({ headersMs, firstEventMs, groups, endMs, outcome }: LoadRecord): readonly number[] {
  const heads = [headersMs, firstEventMs].filter((atMs) => atMs !== null);
  return [...heads, ...groups.map(({ atMs }) => atMs), ...(outcome === "ok" ? [endMs] : [])];
}
