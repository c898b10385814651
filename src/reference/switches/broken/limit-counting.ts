import { countRows, windowRows } from "../lawful/limits.ts";
import { inExam } from "../switch-builders.ts";
import type { Mutant } from "../switch.ts";

/** Limiters that count wrongly, or not at all. */
export const limitCountingMutants: readonly Mutant[] = [
  inExam("limits/over-admit-one", "Admits one request more than the limit", ["RATE-018", "limits.over-admission"], {
    mayAlsoFail: ["RATE-013", "RATE-016", "limits.remaining-not-granted", "limits.phantom-consumption", ...countRows],
    origin: "ay-framework#375",
  }),
  inExam("limits/under-admit-one", "Refuses the last request of the limit", ["limits.remaining-on-refusal"], {
    mayAlsoFail: ["RATE-016", "RATE-017", "RATE-034", "limits.remaining-not-granted", "limits.under-admission"],
  }),
  inExam("limits/lost-updates", "Reads the counter, then writes it back without a lock", ["limits.lost-updates"], {
    mayAlsoFail: ["RATE-018", "RATE-039", "RATE-013", "limits.remaining-not-granted", "limits.over-admission"],
    origin: "tj/node-ratelimiter#6",
  }),
  inExam("limits/check-then-increment", "Checks the counter, then increments it in a second step", ["RATE-018"], {
    mayAlsoFail: ["limits.algorithm", "limits.over-admission", "limits.remaining-not-granted", "limits.lost-updates"],
    origin: "Kong#2629",
  }),
  inExam("limits/bucket-read-modify-write", "Bucket whose level is read and written back without a lock", ["RATE-018"], {
    mayAlsoFail: ["RATE-013", "RATE-038", "limits.remaining-not-granted", "limits.over-admission", ...countRows, ...windowRows],
    origin: "letsencrypt/boulder#7780",
  }),
  inExam(
    "limits/log-check-then-add",
    "Log that is counted first and added to in a second step",
    ["RATE-018", "limits.over-admission"],
    {
      mayAlsoFail: ["RATE-038", "limits.remaining-not-granted", ...countRows, ...windowRows],
      origin: "redis-rate-limiter-java#1",
    },
  ),
  inExam(
    "limits/three-instances",
    "Three processes, each with its own counters and the whole limit",
    ["RATE-018", "limits.lost-updates"],
    {
      mayAlsoFail: ["RATE-013", "RATE-039", "limits.over-admission", "limits.remaining-not-granted"],
      origin: "LiteLLM#16011",
    },
  ),
  inExam(
    "limits/third-per-instance",
    "Three processes, each with its own counters and a third of the limit",
    ["limits.lost-updates"],
    { mayAlsoFail: ["RATE-013", "RATE-039", "limits.remaining-not-granted", "limits.under-admission"] },
  ),
  inExam("limits/two-bucket-instances", "Two processes, each with its own bucket", ["RATE-018", "limits.over-admission"], {
    mayAlsoFail: ["RATE-013", "RATE-038", "RATE-039", "limits.lost-updates", "limits.algorithm", ...windowRows],
  }),
  inExam(
    "limits/overlapping-let-in",
    "A request that begins while another of its key is under way to the same path is never refused",
    ["RATE-018", "limits.over-admission"],
    {
      mayAlsoFail: ["RATE-013", "RATE-039", "limits.remaining-not-granted", "limits.lost-updates"],
      needs: ["permission:spendUpToCents"],
    },
  ),
  inExam("limits/lost-increments", "Every tenth request is not counted", ["limits.lost-updates"], {
    mayAlsoFail: ["RATE-013", "RATE-018", "RATE-039", "limits.over-admission", "limits.algorithm"],
  }),
  inExam("limits/double-count", "Every request is counted twice", ["limits.phantom-consumption"], {
    mayAlsoFail: ["RATE-013", "RATE-017", "limits.under-admission", "limits.remaining-not-granted"],
    origin: "Kong#11859",
  }),
  inExam("limits/leaking-slots", "A quarter of the used slots is never returned", ["limits.remaining-not-restored"], {
    mayAlsoFail: ["RATE-040", "limits.algorithm", "limits.under-admission", "limits.phantom-consumption"],
    origin: "LiteLLM#30020",
  }),
  inExam("limits/first-request-free", "The request that opens a window is not counted", ["RATE-018", "limits.over-admission"], {
    mayAlsoFail: ["RATE-013", "RATE-039", "limits.lost-updates", "limits.algorithm"],
    origin: "tenso#17",
  }),
  inExam(
    "limits/fail-open",
    "Lets requests in uncounted when the store does not answer, one in twenty",
    ["RATE-018", "limits.over-admission"],
    {
      mayAlsoFail: ["RATE-013", "RATE-016", "RATE-039", "limits.lost-updates", "limits.algorithm"],
      origin: "Spanlens#27",
    },
  ),
  inExam(
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
    },
  ),
  inExam("limits/not-enforced", "Counts and shows, but never refuses", ["RATE-018", "limits.over-admission"], {
    mayAlsoFail: ["RATE-013", "RATE-016", "RATE-019", "STRM-012", "limits.remaining-not-granted", ...countRows],
  }),
];
