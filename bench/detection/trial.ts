import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import { operatorMutants, whyUnobservable } from "../../src/reference/switches/broken/operators/operator-mutants.ts";
import type { Random } from "../../src/core/random.ts";
import type { Mutant } from "../../src/reference/switches/switch.ts";
import { isBinding } from "../../src/core/result/is-binding.ts";
import { catalogue, examineReference } from "../../test/conformance/examine-reference.ts";
import type { Personality } from "./personalities.ts";
import { groupBy } from "../../src/core/group-by.ts";

/** The report of a run on a defect: the run fails, it only advises, or it says nothing. */
export type Reported = "failed" | "reported" | "silent";

const outOfReach: ReadonlySet<string> = new Set(["limits", "burst", "spend", "tokens"]);

const bindingRows: ReadonlySet<string> = new Set(
  catalogue.filter(({ level, suite }) => isBinding(level) && suite !== "convention").map(({ id }) => id),
);

/** Defects that a check without an exam of limits can be asked for. */
export const checkableMutants: readonly Mutant[] = [
  ...allSwitches.filter(
    (one): one is Mutant =>
      one.kind === "mutant" &&
      !outOfReach.has(one.area) &&
      one.needs?.some((need) => need.startsWith("stage:")) !== true &&
      // The overlay on the convention has a verdict of its own and never fails a run, and a SHOULD advises.
      one.violates.some((id) => bindingRows.has(id)),
  ),
  ...operatorMutants.filter(({ id }) => whyUnobservable(id) === null),
];

/** `op/header/chat/...` is of the area `op/header`. */
export function areaOf(id: string): string {
  return id
    .split("/")
    .slice(0, id.startsWith("op/") ? 2 : 1)
    .join("/");
}

/** Drawn over all areas in turn, each mutant at most once: a table of headers must not outvote the rest. */
export function drawMutants(random: Random, count: number): readonly Mutant[] {
  const ranked = checkableMutants
    .map((one) => ({ one, rank: random.next() }))
    .toSorted((first, second) => first.rank - second.rank)
    .map(({ one }) => one);
  const byArea = [...groupBy(ranked, ({ id }) => areaOf(id)).values()];
  const turns = Math.max(...byArea.map((ones) => ones.length));
  const inTurn = Array.from({ length: turns }, (_, turn) => byArea.flatMap((ones) => ones.slice(turn, turn + 1))).flat();
  return inTurn.slice(0, count);
}

export interface Trial {
  readonly reported: Reported;
  /** The first few findings that fail. */
  readonly findings: readonly string[];
}

/** One whole check of a server with this personality and, if one is named, this defect. */
export async function tryPersonality({ variants }: Personality, mutant: string | null): Promise<Trial> {
  const { findings } = await examineReference({
    variants,
    // Answers that wait on the clock of the service would wait for ever where it stands still.
    flowing: variants.includes("transport/latency-jitter"),
    mutants: mutant === null ? [] : [mutant],
    manifest: (manifest) => ({ ...manifest, target: { ...manifest.target, timeoutMs: 4000 } }),
  });
  const failing = findings.filter(({ verdict }) => verdict === "fail");
  return {
    reported: failing.length > 0 ? "failed" : findings.length > 0 ? "reported" : "silent",
    findings: failing.slice(0, 3).map(({ requirement, message }) => `${requirement}: ${message}`),
  };
}
