import { countRows, windowRows } from "../lawful/limits.ts";
import { inExam } from "../switch-builders.ts";
import type { Mutant } from "../switch.ts";

/** Rows that see a request refused although there was room. */
const refusedStill = [
  "RATE-015",
  "RATE-016",
  "RATE-017",
  "RATE-024",
  "RATE-034",
  "limits.remaining-on-refusal",
  "limits.under-admission",
  "limits.remaining-not-granted",
];

/** Windows and refills that take another time than is stated. */
export const limitWindowMutants: readonly Mutant[] = [
  inExam("limits/never-resets", "The count outlives its window", ["limits.retry-after-too-short"], {
    mayAlsoFail: ["RATE-015", "RATE-024", "RATE-040", "limits.under-admission"],
    origin: "Tabcorp#1",
  }),
  inExam("limits/window-too-short", "The window ends after 50 s instead of 60", ["limits.early-renewal"], {
    mayAlsoFail: [
      "RATE-014",
      "RATE-018",
      "RATE-030",
      "limits.retry-after-too-long",
      "limits.over-admission",
      "limits.remaining-not-granted",
      "limits.algorithm",
    ],
  }),
  inExam(
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
    },
  ),
  inExam("limits/ttl-refreshed", "Every request prolongs the window", ["limits.remaining-not-restored"], {
    mayAlsoFail: ["RATE-017", "limits.algorithm", "limits.under-admission", "RATE-014", "RATE-040"],
  }),
  inExam(
    "limits/negative-cache",
    "A refused key stays blocked for 5 s after its window ended",
    ["limits.retry-after-too-short"],
    { mayAlsoFail: ["RATE-040", ...refusedStill] },
  ),
  inExam("limits/double-burst", "Bucket that holds twice the limit", ["RATE-018", "limits.over-admission"], {
    mayAlsoFail: ["RATE-013", "RATE-038", "limits.reset-too-far", ...countRows, ...windowRows],
  }),
  inExam("limits/slow-refill", "Bucket that refills at half the rate", ["limits.retry-after-too-short"], {
    mayAlsoFail: [
      "RATE-015",
      "RATE-024",
      "limits.under-admission",
      "limits.algorithm",
      "limits.reset-not-kept",
      "limits.reset-too-far",
      ...windowRows,
    ],
  }),
  inExam("limits/fast-refill", "Bucket that refills at twice the rate", ["limits.over-admission"], {
    mayAlsoFail: [
      "RATE-013",
      "RATE-018",
      "RATE-038",
      "limits.reset-moved-back",
      "limits.retry-after-too-long",
      ...countRows,
      ...windowRows,
    ],
  }),
  inExam("limits/first-window-larger", "The first window of a key holds a quarter more", ["RATE-018", "limits.over-admission"], {
    mayAlsoFail: ["RATE-013", ...countRows],
    needs: ["clock:manual"],
  }),
  inExam(
    "limits/unused-carried-over",
    "What a window leaves unused is added to the next",
    ["RATE-018", "limits.over-admission"],
    {
      mayAlsoFail: ["RATE-013", "RATE-038", "limits.capacity-above-limit", ...countRows],
    },
  ),
  inExam(
    "limits/count-before-cleanup",
    "Log that is counted before expired entries are dropped",
    ["limits.retry-after-too-short", "limits.remaining-on-refusal"],
    {
      mayAlsoFail: [...refusedStill, ...windowRows],
      origin: "apache/shenyu#6754",
    },
  ),
  inExam(
    "limits/daily-window-key",
    "Windows are named by their time of day and found again a day later",
    ["limits.under-admission"],
    {
      mayAlsoFail: ["RATE-015", "RATE-040", "limits.phantom-consumption"],
      origin: "LiteLLM#39251",
      needs: ["clock:manual"],
    },
  ),
];
