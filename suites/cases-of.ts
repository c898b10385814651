import type { Case } from "../src/conformance/plan/case.ts";

type Common = Pick<Case, "suite"> & Partial<Pick<Case, "needs" | "resource" | "alone">>;

/** Cases of one suite: what they have in common is said once; they need nothing where neither says so. */
export function casesOf(common: Common, cases: readonly (Omit<Case, "suite" | "needs"> & Partial<Case>)[]): readonly Case[] {
  return cases.map((one) => ({ needs: [], ...common, ...one }));
}
