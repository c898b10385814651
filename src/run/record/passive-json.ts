import type { Tally } from "../../conformance/verdict/tally.ts";
import type { PassiveCounts } from "../../conformance/verdict/passive-validator.ts";
import type { PassiveJson } from "./ledger-file.ts";

/** Counts as JSON holds them. */
export function writePassiveCounts({ tallies, considered, ...counts }: PassiveCounts): PassiveJson {
  return {
    ...counts,
    tallies: [...tallies],
    considered: [...considered].map(([place, requirements]) => [place, [...requirements]] as const),
  };
}

export function readPassiveCounts({ tallies, considered, account = [], ...counts }: PassiveJson): PassiveCounts {
  return {
    ...counts,
    // Runs of earlier versions have none. A value that is no list fails here, where the file is read.
    account: account.map((one) => ({ ...one, unreadable: [...one.unreadable], excused: [...one.excused] })),
    tallies: new Map(tallies as readonly (readonly [string, Tally])[]),
    considered: new Map(considered.map(([place, requirements]) => [place, new Map(requirements)])),
  };
}
