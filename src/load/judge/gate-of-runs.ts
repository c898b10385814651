import type { GateResult } from "../../core/result/gate-result.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import type { RunValue } from "./join-values.ts";

/** One gate in every run of a repeated profile. */
export type GateOfRuns =
  | { readonly kind: "open"; readonly run: number; readonly gate: GateResult }
  /** `one-sided`: a run knows only that its figure lies beyond something, or has none. */
  | { readonly kind: "count" | "one-sided"; readonly gates: readonly GateResult[] }
  | { readonly kind: "mean"; readonly gates: readonly GateResult[]; readonly values: readonly RunValue[] };

export function gateOfRuns(last: GateResult, runs: readonly LoadProfileResult[]): GateOfRuns {
  const all = runs.map(({ gates }) => gates.find(({ expression }) => expression === last.expression));
  const gates = all.filter((gate) => gate !== undefined);
  const doubtful = gates.findIndex(isOpen);
  const open = gates[doubtful];
  if (open !== undefined) return { kind: "open", run: doubtful + 1, gate: open };
  if (!hasMean(last)) return { kind: "count", gates };
  const values = gates.flatMap(({ observed, low, high }) => (observed === null ? [] : [{ value: observed, low, high }]));
  if (gates.some(isCensored) || values.length < runs.length) return { kind: "one-sided", gates };
  return { kind: "mean", gates, values };
}

/** Whether a run has a value of it with an error: counts are what they are, and so are the largest and the smallest sample. */
export function hasMean({ id, kind }: GateResult): boolean {
  return measured.has(kind) && !/\.(?:max|min)(?:\[|$)/.test(id);
}

const measured: ReadonlySet<GateResult["kind"]> = new Set(["percentile", "moment", "fraction", "rate", "capacity"]);

/** Doubts that longer or more runs take away; any other one holds for all runs together, too. */
const isOpen = ({ verdict, doubt }: GateResult): boolean => verdict !== "pass" && verdict !== "fail" && doubt !== "too-few";

/** A figure that is known from one side only joins no mean: the rest of it may be anything. */
const isCensored = ({ verdict, atLeast, low, high }: GateResult): boolean =>
  atLeast === true || (verdict === "fail" && (low === null || high === null));
