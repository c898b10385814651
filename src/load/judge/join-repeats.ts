import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { describeRepeatEnd } from "./describe-repeat-end.ts";
import { figuresOfRuns } from "./figures-of-runs.ts";
import { joinGate } from "./join-gate.ts";
import { joinValues } from "./join-values.ts";

/**
 * The runs of a profile that was sent several times, with what all of them say: gates are judged over the runs, and stand with the last
 * one. The gates of a run by itself stay with it as `ownGates`. Profiles that were sent once stay as they are. Pure.
 */
export function joinRepeats(profiles: readonly LoadProfileResult[]): readonly LoadProfileResult[] {
  return profiles.map((profile) => {
    if (profile.repeat === undefined) return profile;
    const { of } = profile.repeat;
    const runs = profiles.filter(({ repeat }) => repeat?.of === of);
    if (runs.length < 2) return profile;
    const own = { ...profile, ownGates: profile.gates };
    if (runs.at(-1) !== profile) return { ...own, gates: [] };
    return { ...own, gates: profile.gates.map((gate) => joinGate(gate, runs)), repeats: describeRuns(runs) };
  });
}

function describeRuns(runs: readonly LoadProfileResult[]): NonNullable<LoadProfileResult["repeats"]> {
  const figures = figuresOfRuns(runs).flatMap(({ name, unit, values }) => {
    const known = values.filter((value) => value !== null);
    return known.length < values.length ? [] : [{ name, unit, values: known.map(({ value }) => value), ...joinValues(known) }];
  });
  const end = describeRepeatEnd(runs);
  return { runs: runs.length, planned: runs[0]?.repeat?.runs ?? runs.length, figures, ...(end === null ? {} : { end }) };
}
