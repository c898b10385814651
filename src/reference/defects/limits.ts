import type { Switch } from "./switch.ts";
import { limitHintMutants } from "./limit-hints.ts";
import { limitVariants, windowRows } from "./limit-variants.ts";
import { limitScopeMutants } from "./limit-scope.ts";
import { mutant } from "./switch-builders.ts";

const needs = ["stage:limits"] as const;
const counting: readonly Switch[] = [
  mutant("limits/over-admit-one", "Admits one request more than the limit", ["RATE-018", "limits.over-admission"], {
    mayAlsoFail: [
      "RATE-013",
      "RATE-016",
      "RATE-039",
      "limits.remaining-not-granted",
      "limits.lost-updates",
      "limits.phantom-consumption",
      "limits.algorithm",
    ],
    origin: "ay-framework#375",
    needs,
  }),
  mutant("limits/under-admit-one", "Refuses the last request of the limit", ["limits.remaining-on-refusal"], {
    mayAlsoFail: ["RATE-016", "RATE-017", "RATE-034", "limits.remaining-not-granted", "limits.under-admission"],
    needs,
  }),
  mutant("limits/lost-updates", "Reads the counter, then writes it back without a lock", ["limits.lost-updates"], {
    mayAlsoFail: ["RATE-018", "RATE-039", "RATE-013", "limits.remaining-not-granted", "limits.over-admission"],
    origin: "tj/node-ratelimiter#6",
    needs,
  }),
  mutant("limits/check-then-increment", "Checks the counter, then increments it in a second step", ["RATE-018"], {
    mayAlsoFail: ["limits.algorithm", "limits.over-admission", "limits.remaining-not-granted", "limits.lost-updates"],
    origin: "Kong#2629",
    needs,
  }),
  mutant("limits/bucket-read-modify-write", "Bucket whose level is read and written back without a lock", ["RATE-018"], {
    mayAlsoFail: [
      "RATE-013",
      "RATE-038",
      "RATE-039",
      "limits.lost-updates",
      "limits.remaining-not-granted",
      "limits.over-admission",
      "limits.algorithm",
      ...windowRows,
    ],
    origin: "letsencrypt/boulder#7780",
    needs,
  }),
  mutant(
    "limits/log-check-then-add",
    "Log that is counted first and added to in a second step",
    ["RATE-018", "limits.over-admission"],
    {
      mayAlsoFail: [
        "limits.algorithm",
        "RATE-038",
        "RATE-039",
        "limits.remaining-not-granted",
        "limits.lost-updates",
        ...windowRows,
      ],
      origin: "redis-rate-limiter-java#1",
      needs,
    },
  ),
  mutant(
    "limits/three-instances",
    "Three processes, each with its own counters and the whole limit",
    ["RATE-018", "limits.lost-updates"],
    {
      mayAlsoFail: ["RATE-013", "RATE-039", "limits.over-admission", "limits.remaining-not-granted"],
      origin: "LiteLLM#16011",
      needs,
    },
  ),
  mutant(
    "limits/third-per-instance",
    "Three processes, each with its own counters and a third of the limit",
    ["limits.lost-updates"],
    {
      mayAlsoFail: ["RATE-013", "RATE-039", "limits.remaining-not-granted", "limits.under-admission"],
      needs,
    },
  ),
  mutant("limits/two-bucket-instances", "Two processes, each with its own bucket", ["RATE-018", "limits.over-admission"], {
    mayAlsoFail: ["RATE-013", "RATE-038", "RATE-039", "limits.lost-updates", "limits.algorithm", ...windowRows],
    needs,
  }),
  mutant("limits/lost-increments", "Every tenth request is not counted", ["limits.lost-updates"], {
    mayAlsoFail: ["RATE-013", "RATE-018", "RATE-039", "limits.over-admission", "limits.algorithm"],
    needs,
  }),
  mutant("limits/double-count", "Every request is counted twice", ["limits.phantom-consumption"], {
    mayAlsoFail: ["RATE-013", "RATE-017", "limits.under-admission", "limits.remaining-not-granted"],
    origin: "Kong#11859",
    needs,
  }),
  mutant("limits/leaking-slots", "A quarter of the used slots is never returned", ["limits.remaining-not-restored"], {
    mayAlsoFail: ["RATE-040", "limits.algorithm", "limits.under-admission", "limits.phantom-consumption"],
    origin: "LiteLLM#30020",
    needs,
  }),
  mutant("limits/first-request-free", "The request that opens a window is not counted", ["RATE-018", "limits.over-admission"], {
    mayAlsoFail: ["RATE-013", "RATE-039", "limits.lost-updates", "limits.algorithm"],
    origin: "tenso#17",
    needs,
  }),
  mutant(
    "limits/fail-open",
    "Lets requests in uncounted when the store does not answer, one in twenty",
    ["RATE-018", "limits.over-admission"],
    {
      mayAlsoFail: ["RATE-013", "RATE-016", "RATE-039", "limits.lost-updates", "limits.algorithm"],
      origin: "Spanlens#27",
      needs,
    },
  ),
  mutant(
    "limits/fail-closed",
    "Refuses requests when the store does not answer, one in twenty",
    ["limits.remaining-on-refusal"],
    {
      mayAlsoFail: [
        "RATE-016",
        "RATE-017",
        "RATE-023",
        "RATE-034",
        "BURST-007",
        "BURST-008",
        "BURST-010",
        "BURST-012",
        "BURST-017",
        "KEY-013",
        "SPEND-003",
        "SPEND-004",
        "SPEND-006",
        "SPEND-015",
        "limits.under-admission",
        "limits.remaining-not-granted",
        "burst.cooldown-prolonged",
        "burst.retry-after-untrue",
        "queue.mixed-with-refusals",
        "spend.refusal-shape",
        "spend.cap-type-missing",
      ],
      needs,
    },
  ),
  mutant("limits/not-enforced", "Counts and shows, but never refuses", ["RATE-018", "limits.over-admission"], {
    mayAlsoFail: [
      "RATE-013",
      "RATE-016",
      "RATE-019",
      "RATE-039",
      "limits.algorithm",
      "limits.remaining-not-granted",
      "limits.lost-updates",
    ],
    needs,
  }),
];

const windows: readonly Switch[] = [
  mutant("limits/never-resets", "The count outlives its window", ["limits.retry-after-too-short"], {
    mayAlsoFail: ["RATE-015", "RATE-024", "RATE-040", "limits.under-admission"],
    origin: "Tabcorp#1",
    needs,
  }),
  mutant("limits/window-too-short", "The window ends after 50 s instead of 60", ["limits.early-renewal"], {
    mayAlsoFail: [
      "RATE-014",
      "RATE-018",
      "RATE-030",
      "limits.retry-after-too-long",
      "limits.over-admission",
      "limits.remaining-not-granted",
      "limits.algorithm",
    ],
    needs,
  }),
  mutant(
    "limits/window-too-long",
    "The window ends after 75 s while the reset promises 60",
    ["RATE-015", "limits.reset-not-kept"],
    {
      mayAlsoFail: [
        "RATE-010",
        "RATE-023",
        "RATE-024",
        "RATE-038",
        "RATE-040",
        "limits.algorithm",
        "limits.retry-after-too-long",
        "limits.reset-past",
        "limits.under-admission",
        "limits.retry-after-too-short",
      ],
      needs,
    },
  ),
  mutant("limits/ttl-refreshed", "Every request prolongs the window", ["limits.remaining-not-restored"], {
    mayAlsoFail: ["RATE-017", "limits.algorithm", "limits.under-admission", "RATE-014", "RATE-040"],
    needs,
  }),
  mutant(
    "limits/negative-cache",
    "A refused key stays blocked for 5 s after its window ended",
    ["limits.retry-after-too-short"],
    {
      mayAlsoFail: [
        "RATE-015",
        "RATE-016",
        "RATE-017",
        "RATE-024",
        "RATE-034",
        "RATE-040",
        "limits.remaining-on-refusal",
        "limits.under-admission",
        "limits.remaining-not-granted",
      ],
      needs,
    },
  ),
  mutant("limits/double-burst", "Bucket that holds twice the limit", ["RATE-018", "limits.over-admission"], {
    mayAlsoFail: [
      "RATE-013",
      "RATE-038",
      "RATE-039",
      "limits.lost-updates",
      "limits.reset-too-far",
      "limits.algorithm",
      ...windowRows,
    ],
    needs,
  }),
  mutant("limits/slow-refill", "Bucket that refills at half the rate", ["limits.retry-after-too-short"], {
    mayAlsoFail: [
      "RATE-015",
      "RATE-024",
      "limits.under-admission",
      "limits.algorithm",
      "limits.reset-not-kept",
      "limits.reset-too-far",
      ...windowRows,
    ],
    needs,
  }),
  mutant("limits/fast-refill", "Bucket that refills at twice the rate", ["limits.algorithm"], {
    mayAlsoFail: [
      "RATE-038",
      "limits.reset-moved-back",
      "limits.lost-updates",
      "RATE-013",
      "RATE-018",
      "RATE-039",
      "limits.over-admission",
      "limits.retry-after-too-long",
      "limits.algorithm",
      ...windowRows,
    ],
    needs,
  }),
  mutant(
    "limits/count-before-cleanup",
    "Log that is counted before expired entries are dropped",
    ["limits.retry-after-too-short", "limits.remaining-on-refusal"],
    {
      mayAlsoFail: [
        "RATE-015",
        "RATE-016",
        "RATE-017",
        "RATE-024",
        "RATE-034",
        "limits.under-admission",
        "limits.remaining-not-granted",
        ...windowRows,
      ],
      origin: "apache/shenyu#6754",
      needs,
    },
  ),
  mutant(
    "limits/daily-window-key",
    "Windows are named by their time of day and found again a day later",
    ["limits.under-admission"],
    {
      mayAlsoFail: ["RATE-015", "RATE-040", "limits.phantom-consumption"],
      origin: "LiteLLM#39251",
      needs: ["stage:limits", "clock:manual"],
    },
  ),
];

const remaining: readonly Switch[] = [
  mutant("limits/remaining-stale", "Remaining comes from a cache of 2 s", ["RATE-013", "RATE-039", "limits.lost-updates"], {
    mayAlsoFail: [
      "RATE-016",
      "RATE-017",
      "RATE-034",
      "RATE-040",
      "limits.remaining-not-granted",
      "limits.remaining-on-refusal",
      "limits.algorithm",
    ],
    needs,
  }),
  mutant(
    "limits/remaining-constant",
    "Remaining always equals the limit",
    ["RATE-013", "RATE-039", "limits.lost-updates", "limits.remaining-on-refusal"],
    { mayAlsoFail: ["RATE-015", "RATE-016", "RATE-017", "RATE-034", "limits.remaining-not-granted"], needs },
  ),
  mutant("limits/remaining-negative", "Remaining falls below zero on refusals", ["RATE-007", "limits.remaining-range"], {
    origin: "apache/apisix#13079",
    needs,
  }),
  mutant(
    "limits/remaining-too-high-near-zero",
    "Remaining is one too high among the last three",
    ["limits.remaining-not-granted"],
    {
      mayAlsoFail: [
        "limits.lost-updates",
        "RATE-013",
        "RATE-016",
        "RATE-017",
        "RATE-039",
        "limits.remaining-not-granted",
        "limits.algorithm",
      ],
      needs,
    },
  ),
  mutant("limits/remaining-on-reject", "Refusals show a positive remaining", ["RATE-016", "limits.remaining-on-refusal"], {
    mayAlsoFail: ["RATE-014", "RATE-017", "RATE-034", "limits.remaining-not-granted"],
    needs,
  }),
  mutant(
    "limits/ignores-previous-window",
    "Sliding counter whose remaining leaves out the last window",
    ["limits.remaining-on-refusal"],
    {
      mayAlsoFail: ["RATE-016", "RATE-017", "RATE-034", "limits.remaining-not-granted", "limits.algorithm", ...windowRows],
      origin: "upstash/ratelimit-js#61",
      needs,
    },
  ),
];

export const limitSwitches: readonly Switch[] = [
  ...limitVariants,
  ...counting,
  ...windows,
  ...remaining,
  ...limitHintMutants,
  ...limitScopeMutants,
];
