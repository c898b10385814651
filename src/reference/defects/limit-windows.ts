import { windowRows } from "./limit-variants.ts";
import { mutant } from "./switch-builders.ts";
import type { Switch } from "./switch.ts";

const needs = ["stage:limits"] as const;

/** Windows and refills that take another time than is stated. */
export const limitWindowMutants: readonly Switch[] = [
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
  mutant("limits/fast-refill", "Bucket that refills at twice the rate", ["limits.over-admission"], {
    mayAlsoFail: [
      "RATE-038",
      "limits.reset-moved-back",
      "limits.lost-updates",
      "RATE-013",
      "RATE-018",
      "RATE-039",
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
