import { shapeOf } from "../arrivals/arrival-kinds.ts";
import type { Gate } from "../profile/gate.ts";
import { parseGate } from "../gates/parse-gate.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import { allowedMisses } from "./allowed-misses.ts";

/** The gates that lead a search for capacity, 95 % of good answers where there are none; null: the profile is no such search. */
export function leadingGates({ arrivals, gates, slo }: Pick<LoadProfile, "arrivals" | "gates" | "slo">): readonly Gate[] | null {
  const shape = shapeOf(arrivals);
  if (shape.name !== "search" || shape.isLedByGates !== true) return null;
  const leading = gates.filter((gate) => gate.figure.kind !== "capacity" && allowedMisses(gate) !== null);
  const hasLevel = slo.ttftMs !== null || slo.tpotMs !== null || slo.userLatencyMs !== null;
  const isStated = leading.some(({ figure }) => figure.kind === "fraction" && figure.name === "goodput");
  return hasLevel && !isStated ? [...leading, goodGate] : leading;
}

const goodGate = parseGate("goodput >= 95%");

/** The gates that are judged over the whole profile: those that lead a search were judged level by level. */
export function judgedGates(profile: Pick<LoadProfile, "arrivals" | "gates" | "slo">): readonly Gate[] {
  return leadingGates(profile) === null ? profile.gates : profile.gates.filter(({ figure }) => figure.kind === "capacity");
}
