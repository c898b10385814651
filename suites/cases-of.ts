import type { Case } from "../src/conformance/plan/case.ts";

/** A case without what the cases of its suite have in common. */
export type CaseDraft = Omit<Case, "suite" | "needs"> & Partial<Case>;

type Common = Pick<Case, "suite"> & Partial<Pick<Case, "needs" | "resource" | "alone">>;

/** Cases of one suite: what they have in common is said once; they need nothing where neither says so. */
export function casesOf(common: Common, cases: readonly CaseDraft[]): readonly Case[] {
  return cases.map((one) => ({ needs: [], ...common, ...one }));
}
