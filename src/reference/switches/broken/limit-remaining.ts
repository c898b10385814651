import { countRows, windowRows } from "../lawful/limits.ts";
import { inExam } from "../switch-builders.ts";
import type { Mutant } from "../switch.ts";

/** Mutants that show a wrong number of a correct count. */
export const limitRemainingMutants: readonly Mutant[] = [
  inExam("limits/remaining-stale", "Remaining comes from a cache of 2 s", ["RATE-013", "RATE-039", "limits.lost-updates"], {
    mayAlsoFail: [
      "RATE-016",
      "RATE-017",
      "RATE-034",
      "RATE-040",
      "limits.remaining-not-granted",
      "limits.remaining-on-refusal",
      ...countRows,
    ],
  }),
  inExam(
    "limits/remaining-constant",
    "Remaining always equals the limit",
    ["RATE-013", "RATE-039", "limits.lost-updates", "limits.remaining-on-refusal"],
    { mayAlsoFail: ["RATE-015", "RATE-016", "RATE-017", "RATE-034", "limits.remaining-not-granted"] },
  ),
  inExam("limits/remaining-negative", "Remaining falls below zero on refusals", ["RATE-007", "limits.remaining-range"], {
    origin: "apache/apisix#13079",
  }),
  inExam(
    "limits/remaining-too-high-near-zero",
    "Remaining is one too high among the last three",
    ["limits.remaining-not-granted"],
    { mayAlsoFail: ["RATE-013", "RATE-016", "RATE-017", ...countRows] },
  ),
  inExam("limits/remaining-on-reject", "Refusals show a positive remaining", ["RATE-016", "limits.remaining-on-refusal"], {
    mayAlsoFail: ["RATE-014", "RATE-017", "RATE-034", "limits.remaining-not-granted"],
  }),
  inExam(
    "limits/ignores-previous-window",
    "Sliding counter whose remaining leaves out the last window",
    ["limits.remaining-not-granted"],
    {
      mayAlsoFail: ["RATE-016", "RATE-017", "RATE-034", "limits.remaining-on-refusal", "limits.algorithm", ...windowRows],
      origin: "upstash/ratelimit-js#61",
    },
  ),
];
