import type { Verdict } from "../../core/result/verdict.ts";

/** The order of limits and their checks on the page: violated ones first, those that were not judged last. */
export const verdictRank: Readonly<Record<Verdict, number>> = {
  fail: 0,
  advisory: 1,
  pass: 2,
  observed: 3,
  inconclusive: 4,
  "not-applicable": 5,
  untested: 6,
  excluded: 7,
};
