import { roundToMicroseconds } from "../../core/columns/round-to-microseconds.ts";
import type { ServiceLevel } from "../profile/load-profile.ts";
import type { LoadRecord } from "./load-record.ts";
import { meetsLevel } from "./meets-level.ts";
import type { ArrivalGroup } from "./stream-progress.ts";

/** Chunks a read, on average, from which on they came in clumps. */
const leastEventsOfClump = 3;

/** The figures that follow from the arrivals of a stream, which must all be there. */
export function deriveGaps({
  groups,
  contentEvents,
}: Pick<LoadRecord, "groups" | "contentEvents">): Pick<LoadRecord, "longestGapMs" | "middleGapMs"> {
  if (groups.length < 2) return noGaps;
  let longest = 0;
  for (let at = 1; at < groups.length; at += 1) longest = Math.max(longest, gapBefore(groups, at));
  const longestGapMs = roundToMicroseconds(longest);
  if (groups.length < 3 || contentEvents < leastEventsOfClump * groups.length) return { longestGapMs, middleGapMs: null };
  const gaps = Float64Array.from({ length: groups.length - 1 }, (_, at) => gapBefore(groups, at + 1)).sort();
  return { longestGapMs, middleGapMs: roundToMicroseconds(gaps[Math.floor(gaps.length / 2)] ?? 0) };
}

const noGaps = { longestGapMs: null, middleGapMs: null } as const;

function gapBefore(groups: readonly ArrivalGroup[], at: number): number {
  return (groups[at]?.atMs ?? 0) - (groups[at - 1]?.atMs ?? 0);
}

/** The figures that follow from the other members. */
export function deriveFigures(
  record: Underived,
  slo: ServiceLevel,
): Pick<LoadRecord, "tpotMs" | "tpotEstimated" | "good" | "maybeGood"> {
  const { value: tpotMs, estimated: tpotEstimated } = timePerOutputToken(record);
  const figures = { tpotMs, tpotEstimated };
  return { ...figures, ...meetsLevel(record, figures, slo) };
}

type Underived = Omit<LoadRecord, "tpotMs" | "tpotEstimated" | "good" | "maybeGood">;

/** A first arrival with more than this share of the chunks holds more than this share of the tokens, and nobody knows how many. */
const mostInFirst = 0.1;

/** (last content - first token) / (tokens that arrived - tokens of the first arrival); null when nothing is left to divide by. */
function timePerOutputToken(record: Underived): {
  value: number | null;
  estimated: boolean;
} {
  const { firstTokenMs, answeredMs, outputTokens, contentEvents, hiddenTokens } = record;
  const first = record.groups[0];
  if (first === undefined || outputTokens === null || firstTokenMs === null) return { value: null, estimated: false };
  // Usage that counts up in the chunks has counted hidden tokens by the first of them.
  const arrived = first.tokens === null ? outputTokens - (hiddenTokens ?? 0) : outputTokens;
  const exactFirst = first.tokens ?? (arrived === contentEvents && hiddenTokens !== null ? first.events : null);
  const inFirst = exactFirst ?? (arrived * first.events) / contentEvents;
  const rest = arrived - inFirst;
  const span = answeredMs - firstTokenMs;
  if (rest <= 0 || span <= 0) return { value: null, estimated: false };
  const isRough = exactFirst === null && (hiddenTokens === null || first.events > mostInFirst * contentEvents);
  return { value: span / rest, estimated: isRough };
}
