import type { Switch } from "./switch.ts";
import { limitHintMutants } from "./limit-hints.ts";
import { limitVariants, windowRows } from "./limit-variants.ts";
import { mutant } from "./switch-builders.ts";

const needs = ["stage:limits"] as const;
const counting: readonly Switch[] = [
  mutant("limits/over-admit-one", "Admits one request more than the limit", ["RATE-018", "limits:u.over"], {
    mayAlsoFail: ["RATE-013", "RATE-016", "RATE-039", "limits:claim", "limits:r2.lost", "limits:r2.phantom", "limits:family"],
    origin: "ay-framework#375",
    needs,
  }),
  mutant("limits/under-admit-one", "Refuses the last request of the limit", ["limits:rem.onreject"], {
    mayAlsoFail: ["RATE-016", "RATE-017", "RATE-034", "limits:claim", "limits:u.under"],
    needs,
  }),
  mutant("limits/lost-updates", "Reads the counter, then writes it back without a lock", ["limits:r2.lost"], {
    mayAlsoFail: ["RATE-018", "RATE-039", "RATE-013", "limits:claim", "limits:u.over"],
    origin: "tj/node-ratelimiter#6",
    needs,
  }),
  mutant("limits/check-then-increment", "Checks the counter, then increments it in a second step", ["RATE-018"], {
    mayAlsoFail: ["limits:family", "limits:u.over", "limits:claim", "limits:r2.lost", "limits:r2.nonmonotone"],
    origin: "Kong#2629",
    needs,
  }),
  mutant("limits/bucket-read-modify-write", "Bucket whose level is read and written back without a lock", ["RATE-018"], {
    mayAlsoFail: [
      "RATE-013",
      "RATE-038",
      "RATE-039",
      "limits:r2.lost",
      "limits:claim",
      "limits:u.over",
      "limits:family",
      ...windowRows,
    ],
    origin: "letsencrypt/boulder#7780",
    needs,
  }),
  mutant("limits/log-check-then-add", "Log that is counted first and added to in a second step", ["RATE-018", "limits:u.over"], {
    mayAlsoFail: [
      "limits:family",
      "RATE-038",
      "RATE-039",
      "limits:claim",
      "limits:r2.lost",
      "limits:r2.nonmonotone",
      ...windowRows,
    ],
    origin: "redis-rate-limiter-java#1",
    needs,
  }),
  mutant(
    "limits/three-instances",
    "Three processes, each with its own counters and the whole limit",
    ["RATE-018", "limits:r2.lost"],
    {
      mayAlsoFail: ["RATE-013", "RATE-039", "limits:u.over", "limits:claim"],
      origin: "LiteLLM#16011",
      needs,
    },
  ),
  mutant(
    "limits/third-per-instance",
    "Three processes, each with its own counters and a third of the limit",
    ["limits:r2.lost"],
    {
      mayAlsoFail: ["RATE-013", "RATE-039", "limits:claim", "limits:u.under", "limits:r2.gap", "limits:r2.nonmonotone"],
      needs,
    },
  ),
  mutant("limits/two-bucket-instances", "Two processes, each with its own bucket", ["RATE-018", "limits:u.over"], {
    mayAlsoFail: ["RATE-013", "RATE-038", "RATE-039", "limits:r2.lost", "limits:family", ...windowRows],
    needs,
  }),
  mutant("limits/lost-increments", "Every tenth request is not counted", ["limits:r2.lost"], {
    mayAlsoFail: ["RATE-013", "RATE-018", "RATE-039", "limits:u.over", "limits:family"],
    needs,
  }),
  mutant("limits/double-count", "Every request is counted twice", ["limits:r2.phantom"], {
    mayAlsoFail: ["RATE-013", "RATE-017", "limits:r2.gap", "limits:u.under", "limits:claim"],
    origin: "Kong#11859",
    needs,
  }),
  mutant("limits/leaking-slots", "A quarter of the used slots is never returned", ["limits:rem.restored"], {
    mayAlsoFail: ["RATE-040", "limits:family", "limits:u.under", "limits:r2.phantom", "limits:r2.gap"],
    origin: "LiteLLM#30020",
    needs,
  }),
  mutant("limits/first-request-free", "The request that opens a window is not counted", ["RATE-018", "limits:u.over"], {
    mayAlsoFail: ["RATE-013", "RATE-039", "limits:r2.lost", "limits:family"],
    origin: "tenso#17",
    needs,
  }),
  mutant(
    "limits/fail-open",
    "Lets requests in uncounted when the store does not answer, one in twenty",
    ["RATE-018", "limits:u.over"],
    { mayAlsoFail: ["RATE-013", "RATE-016", "RATE-039", "limits:r2.lost", "limits:family"], origin: "Spanlens#27", needs },
  ),
  mutant("limits/fail-closed", "Refuses requests when the store does not answer, one in twenty", ["limits:rem.onreject"], {
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
      "limits:u.under",
      "limits:claim",
      "limits:cool.extend",
      "limits:cool.ra",
      "limits:queue.mixed",
      "limits:cap.shape",
      "limits:cap.type",
    ],
    needs,
  }),
  mutant("limits/not-enforced", "Counts and shows, but never refuses", ["RATE-018", "limits:u.over"], {
    mayAlsoFail: ["RATE-013", "RATE-016", "RATE-019", "RATE-039", "limits:family", "limits:claim", "limits:r2.lost"],
    needs,
  }),
];

const windows: readonly Switch[] = [
  mutant("limits/never-resets", "The count outlives its window", ["limits:ra.short"], {
    mayAlsoFail: ["RATE-015", "RATE-024", "RATE-040", "limits:u.under", "limits:r2.gap"],
    origin: "Tabcorp#1",
    needs,
  }),
  mutant("limits/window-too-short", "The window ends after 50 s instead of 60", ["limits:r2.rise"], {
    mayAlsoFail: [
      "RATE-014",
      "RATE-018",
      "RATE-030",
      "limits:ra.long",
      "limits:u.over",
      "limits:claim",
      "limits:reset.skew",
      "limits:family",
    ],
    needs,
  }),
  mutant(
    "limits/window-too-long",
    "The window ends after 75 s while the reset promises 60",
    ["RATE-015", "limits:reset.broken"],
    {
      mayAlsoFail: [
        "RATE-010",
        "RATE-023",
        "RATE-024",
        "RATE-038",
        "RATE-040",
        "limits:family",
        "limits:ra.far",
        "limits:ra.long",
        "limits:reset.past",
        "limits:u.under",
      ],
      needs,
    },
  ),
  mutant("limits/ttl-refreshed", "Every request prolongs the window", ["limits:u.under"], {
    mayAlsoFail: ["RATE-017", "limits:family", "RATE-014", "limits:r2.gap"],
    needs,
  }),
  mutant("limits/negative-cache", "A refused key stays blocked for 5 s after its window ended", ["limits:ra.short"], {
    mayAlsoFail: [
      "RATE-015",
      "RATE-016",
      "RATE-017",
      "RATE-024",
      "RATE-034",
      "RATE-040",
      "limits:rem.onreject",
      "limits:u.under",
      "limits:claim",
    ],
    needs,
  }),
  mutant("limits/double-burst", "Bucket that holds twice the limit", ["RATE-018", "limits:u.over"], {
    mayAlsoFail: ["RATE-013", "RATE-038", "RATE-039", "limits:r2.lost", "limits:reset.far", "limits:family", ...windowRows],
    needs,
  }),
  mutant("limits/slow-refill", "Bucket that refills at half the rate", ["limits:ra.short"], {
    mayAlsoFail: [
      "RATE-015",
      "RATE-024",
      "limits:u.under",
      "limits:family",
      "limits:reset.broken",
      "limits:reset.far",
      "limits:ra.far",
      ...windowRows,
    ],
    needs,
  }),
  mutant("limits/fast-refill", "Bucket that refills at twice the rate", ["limits:family"], {
    mayAlsoFail: [
      "RATE-038",
      "limits:reset.monotone",
      "limits:r2.lost",
      "RATE-013",
      "RATE-018",
      "RATE-039",
      "limits:u.over",
      "limits:ra.long",
      "limits:family",
      ...windowRows,
    ],
    needs,
  }),
  mutant(
    "limits/count-before-cleanup",
    "Log that is counted before expired entries are dropped",
    ["limits:ra.short", "limits:rem.onreject"],
    {
      mayAlsoFail: ["RATE-015", "RATE-016", "RATE-017", "RATE-024", "RATE-034", "limits:u.under", "limits:claim", ...windowRows],
      origin: "apache/shenyu#6754",
      needs,
    },
  ),
  mutant("limits/daily-window-key", "Windows are named by their time of day and found again a day later", ["limits:u.under"], {
    mayAlsoFail: ["RATE-015", "RATE-040", "limits:r2.gap", "limits:r2.phantom"],
    origin: "LiteLLM#39251",
    needs: ["stage:limits", "clock:manual"],
  }),
];

const remaining: readonly Switch[] = [
  mutant("limits/remaining-stale", "Remaining comes from a cache of 2 s", ["RATE-013", "RATE-039", "limits:r2.lost"], {
    mayAlsoFail: ["RATE-016", "RATE-017", "RATE-034", "RATE-040", "limits:claim", "limits:rem.onreject", "limits:family"],
    needs,
  }),
  mutant(
    "limits/remaining-constant",
    "Remaining always equals the limit",
    ["RATE-013", "RATE-039", "limits:r2.lost", "limits:rem.onreject"],
    { mayAlsoFail: ["RATE-015", "RATE-016", "RATE-017", "RATE-034", "limits:claim"], needs },
  ),
  mutant("limits/remaining-negative", "Remaining falls below zero on refusals", ["RATE-007", "limits:rem.range"], {
    origin: "apache/apisix#13079",
    needs,
  }),
  mutant("limits/remaining-too-high-near-zero", "Remaining is one too high among the last three", ["limits:claim"], {
    mayAlsoFail: ["limits:r2.lost", "RATE-013", "RATE-016", "RATE-017", "RATE-039", "limits:claim", "limits:family"],
    needs,
  }),
  mutant("limits/remaining-on-reject", "Refusals show a positive remaining", ["RATE-016", "limits:rem.onreject"], {
    mayAlsoFail: ["RATE-014", "RATE-017", "RATE-034", "limits:claim"],
    needs,
  }),
  mutant(
    "limits/ignores-previous-window",
    "Sliding counter whose remaining leaves out the last window",
    ["limits:rem.onreject"],
    {
      mayAlsoFail: ["RATE-016", "RATE-017", "RATE-034", "limits:claim", "limits:family", ...windowRows],
      origin: "upstash/ratelimit-js#61",
      needs,
    },
  ),
];

const scope: readonly Switch[] = [
  mutant("limits/limit-flaps", "The limit changes every half second", ["limits:limit.const"], {
    mayAlsoFail: [
      "RATE-025",
      "RATE-026",
      "limits:iso.key",
      "limits:iso.endpoint",
      "RATE-012",
      "RATE-013",
      "RATE-017",
      "RATE-023",
      "RATE-027",
      "RATE-028",
      "RATE-039",
      "limits:r2.gap",
      "limits:claim",
      "limits:ra.long",
      "limits:u.under",
    ],
  }),
  mutant("limits/wrong-plan-limit", "The plan's limit is half as high again", ["RATE-027", "RATE-028"], {
    mayAlsoFail: ["limits:limit.plan", "limits:limit.const"],
  }),
  mutant("limits/shared-by-keys", "One counter for all keys", ["RATE-025", "limits:iso.key"], {
    mayAlsoFail: [
      "RATE-013",
      "RATE-018",
      "RATE-039",
      "BURST-012",
      "KEY-013",
      "limits:u.under",
      "limits:r2.gap",
      "limits:limit.const",
    ],
    origin: "tessera#185",
    needs,
  }),
  mutant("limits/shared-by-endpoints", "One counter for all endpoints", ["RATE-026", "limits:iso.endpoint"], {
    mayAlsoFail: ["RATE-013", "limits:u.under", "limits:r2.gap"],
    origin: "gafaelfawr#1321",
    needs,
  }),
  mutant("limits/path-variant-bypass", "Counts by the URL as sent: a query string opens a new window", ["limits:iso.bypass"], {
    mayAlsoFail: ["RATE-018", "RATE-016"],
    needs,
  }),
  mutant("limits/status-503", "Refuses with 503", ["RATE-019"], {
    mayAlsoFail: ["RATE-016", "RATE-032", "BURST-005", "ERR-025", "ERR-031", "ERR-038", "KEY-014", "limits:u.over"],
    origin: "nginx limit_req default",
    needs,
  }),
  mutant("limits/quota-error-shape", "Request limits answer with the quota shape", ["SPEND-015", "RATE-021"], {
    mayAlsoFail: ["RATE-020", "ERR-001", "ERR-038", "limits:ra.form"],
    needs,
  }),
];

export const limitSwitches: readonly Switch[] = [
  ...limitVariants,
  ...counting,
  ...windows,
  ...remaining,
  ...limitHintMutants,
  ...scope,
];
