import type { LoadProfileResult } from "../../../core/result/load-result.ts";
import type { ProfilePair } from "./compare-profiles.ts";

/** Why the load of two sides is not the same, null where nothing shows a difference. */
export function workloadDifference({ base, next }: ProfilePair): string | null {
  const [first] = base;
  const difference = (what: "arrivals" | "workload"): string => {
    const other = [...base, ...next].find((each) => each[what] !== first?.[what]);
    return `the ${what} differ${what === "workload" ? "s" : ""}: ${first?.[what] ?? ""}, and ${other?.[what] ?? ""}`;
  };
  if ([...base, ...next].some((each) => each.arrivals !== first?.arrivals)) return difference("arrivals");
  if ([...base, ...next].some((each) => each.workload !== first?.workload)) return difference("workload");
  if ([...base, ...next].some((each) => each.engine !== first?.engine)) return "the engine differs";
  return contentDifference([...base, ...next]);
}

/** Lengths, service levels, time-outs: what the lines about arrivals and workload do not show. */
function contentDifference(rounds: readonly LoadProfileResult[]): string | null {
  const contents = rounds.flatMap(({ content }) => content ?? []);
  const [first] = contents;
  const other = contents.find(({ digest }) => digest !== first?.digest);
  if (first === undefined || other === undefined) return null;
  const names = Object.keys({ ...first.members, ...other.members }).filter((name) => first.members[name] !== other.members[name]);
  return `the content of the profile differs in ${names.join(", ")} (${first.digest} and ${other.digest})`;
}
