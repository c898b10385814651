import type { Switch } from "../switch.ts";
import { mutant, variant } from "./switch-builders.ts";

const needs = ["stage:limits"] as const;
const openAlgorithm = "The specification names windows but no algorithm (Rate limits; reading AMB-12).";
const otherFamilies = (own: string): readonly string[] => families.filter((id) => id !== own);

const families: readonly string[] = [
  "limits/fixed-first",
  "limits/fixed-second",
  "limits/sliding-log",
  "limits/sliding-log-full-reset",
  "limits/sliding-counter",
  "limits/sliding-counter-full-reset",
  "limits/token-bucket",
  "limits/token-bucket-next-reset",
  "limits/bucket-starts-empty",
  "limits/burst-below-limit",
  "limits/batch-refill",
  "limits/gcra",
];

const family = (id: string, title: string, changes: readonly string[] = []): Switch =>
  variant(id, title, openAlgorithm, { excludes: otherFamilies(id), ...(changes.length > 0 ? { changes } : {}) });

/** Rows that speak of windows with a fixed end; a limiter without one shows something else lawfully. */
const windowRows = ["RATE-014", "RATE-023", "RATE-030", "RATE-040"];

const variants: readonly Switch[] = [
  family("limits/fixed-first", "A window begins with the first request after the last one ended"),
  family("limits/fixed-second", "As fixed-first, on a clock of whole seconds"),
  family("limits/sliding-log", "Counts the last 60 s exactly; reset is the oldest expiry", windowRows),
  family("limits/sliding-log-full-reset", "Counts the last 60 s exactly; reset is when the allowance is whole again", windowRows),
  family("limits/sliding-counter", "Weighs the last window into this one; reset is the end of the window", windowRows),
  family("limits/sliding-counter-full-reset", "Weighs the last window into this one; reset is when both have faded", windowRows),
  family("limits/token-bucket", "Bucket with continuous refill; reset is when it is full", windowRows),
  family("limits/token-bucket-next-reset", "Bucket with continuous refill; reset is the next unit", windowRows),
  family("limits/bucket-starts-empty", "Bucket that a new key has to fill first", [...windowRows, "RATE-017"]),
  family("limits/burst-below-limit", "Bucket that holds a quarter of the limit", [...windowRows, "RATE-017"]),
  family("limits/batch-refill", "Bucket that is refilled once a second", windowRows),
  family("limits/gcra", "Generic cell rate algorithm; reset is the theoretical arrival time", windowRows),
  variant("limits/rejections-count", "Refused requests use up the limit too", "Which requests count is open (AMB-12).", {
    changes: [...windowRows, "RATE-024", "RATE-035"],
  }),
  variant("limits/client-errors-count", "Requests answered 4xx use up the limit too", "Which requests count is open (AMB-12).", {
    changes: ["RATE-035"],
  }),
  variant(
    "limits/remaining-before",
    "Remaining is shown as it was before this request",
    "Remaining may leave out the request itself.",
    {
      changes: ["RATE-017"],
    },
  ),
  variant(
    "limits/remaining-late-read",
    "Remaining is read when the head is written, not with the decision",
    "No response promises a snapshot of its decision.",
  ),
  variant("limits/remaining-rounded", "Remaining is rounded down to tens", "Fewer than remain is never a promise broken.", {
    changes: ["RATE-013", "RATE-039"],
    excludes: ["limits/remaining-before"],
  }),
  variant("limits/reset-floor", "Reset is rounded down to the second", "How a fraction is rounded is open (AMB-11).", {
    excludes: ["limits/reset-nearest"],
  }),
  variant("limits/reset-nearest", "Reset is rounded to the nearest second", "How a fraction is rounded is open (AMB-11).", {
    excludes: ["limits/reset-floor"],
  }),
  variant("limits/retry-after-header-only", "Retry-After only as a header", "Header or body carries the hint (Errors; AMB-08).", {
    changes: ["RATE-020"],
    excludes: ["limits/retry-after-body-only"],
  }),
  variant("limits/retry-after-body-only", "retry-after only in the body", "Header or body carries the hint (Errors; AMB-08).", {
    excludes: ["limits/retry-after-header-only", "limits/retry-after-date"],
  }),
  variant("limits/retry-after-date", "Retry-After as an HTTP date", "RFC 9110 section 10.2.3 allows both forms (AMB-36).", {
    excludes: ["limits/retry-after-body-only"],
  }),
];

const counting: readonly Switch[] = [
  mutant("limits/over-admit-one", "Admits one request more than the limit", ["limits:family"], {
    mayAlsoFail: ["RATE-018", "RATE-016", "limits:claim", "limits:u.over", "limits:r2.lost", "limits:r2.phantom"],
    origin: "ay-framework#375",
    needs,
  }),
  mutant("limits/under-admit-one", "Refuses the last request of the limit", ["limits:rem.onreject"], {
    mayAlsoFail: ["limits:u.under", "limits:claim", "RATE-017", "RATE-034"],
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
  mutant("limits/bucket-read-modify-write", "Bucket whose level is read and written back without a lock", ["limits:r2.lost"], {
    mayAlsoFail: ["RATE-018", "RATE-039", "RATE-013", "limits:claim", "limits:u.over", "limits:family", ...windowRows],
    origin: "letsencrypt/boulder#7780",
    needs,
  }),
  mutant("limits/log-check-then-add", "Log that is counted first and added to in a second step", ["limits:family"], {
    mayAlsoFail: [
      "RATE-018",
      "RATE-039",
      "limits:claim",
      "limits:u.over",
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
  mutant("limits/two-bucket-instances", "Two processes, each with its own bucket", ["limits:r2.lost"], {
    mayAlsoFail: ["RATE-018", "RATE-013", "RATE-039", "limits:u.over", "limits:family", ...windowRows],
    needs,
  }),
  mutant("limits/lost-increments", "Every tenth request is not counted", ["limits:family"], {
    mayAlsoFail: ["RATE-018", "RATE-013", "RATE-039", "limits:r2.lost", "limits:u.over"],
    needs,
  }),
  mutant("limits/double-count", "Every request is counted twice", ["limits:r2.gap"], {
    mayAlsoFail: ["RATE-013", "limits:r2.phantom", "limits:u.under", "limits:claim", "RATE-017"],
    origin: "Kong#11859",
    needs,
  }),
  mutant("limits/leaking-slots", "A quarter of the used slots is never returned", ["limits:r2.gap"], {
    mayAlsoFail: ["RATE-040", "limits:u.under", "limits:r2.phantom"],
    origin: "LiteLLM#30020",
    needs,
  }),
  mutant("limits/first-request-free", "The request that opens a window is not counted", ["limits:family"], {
    mayAlsoFail: ["RATE-018", "RATE-013", "RATE-039", "limits:r2.lost", "limits:u.over"],
    origin: "tenso#17",
    needs,
  }),
  mutant("limits/fail-open", "Lets requests in uncounted when the store does not answer, one in twenty", ["limits:family"], {
    mayAlsoFail: ["RATE-016", "RATE-018", "RATE-013", "RATE-039", "limits:r2.lost", "limits:u.over"],
    origin: "Spanlens#27",
    needs,
  }),
  mutant("limits/fail-closed", "Refuses requests when the store does not answer, one in twenty", ["limits:rem.onreject"], {
    mayAlsoFail: ["RATE-017", "RATE-034", "RATE-023", "limits:u.under", "limits:claim"],
    needs,
  }),
  mutant("limits/not-enforced", "Counts and shows, but never refuses", ["RATE-016", "RATE-018", "RATE-019", "limits:u.over"], {
    mayAlsoFail: ["limits:family", "limits:claim", "limits:r2.lost"],
    needs,
  }),
];

const windows: readonly Switch[] = [
  mutant("limits/never-resets", "The count outlives its window", ["RATE-015", "limits:u.under"], {
    mayAlsoFail: ["RATE-024", "RATE-040", "limits:ra.short", "limits:r2.gap"],
    origin: "Tabcorp#1",
    needs,
  }),
  mutant("limits/window-too-short", "The window ends after 50 s instead of 60", ["limits:family"], {
    mayAlsoFail: ["RATE-014", "RATE-018", "RATE-030", "limits:ra.long", "limits:u.over", "limits:claim", "limits:reset.skew"],
    needs,
  }),
  mutant("limits/window-too-long", "The window ends after 75 s while the reset promises 60", ["RATE-015", "limits:ra.far"], {
    mayAlsoFail: [
      "RATE-010",
      "RATE-023",
      "RATE-024",
      "RATE-038",
      "RATE-040",
      "limits:family",
      "limits:reset.past",
      "limits:u.under",
    ],
    needs,
  }),
  mutant("limits/ttl-refreshed", "Every request prolongs the window", ["limits:family"], {
    mayAlsoFail: ["limits:u.under", "RATE-014", "limits:r2.gap"],
    needs,
  }),
  mutant("limits/negative-cache", "A refused key stays blocked for 5 s after its window ended", ["RATE-015", "limits:ra.short"], {
    mayAlsoFail: ["RATE-017", "RATE-024", "RATE-034", "RATE-040", "limits:rem.onreject", "limits:u.under", "limits:claim"],
    needs,
  }),
  mutant("limits/double-burst", "Bucket that holds twice the limit", ["limits:family"], {
    mayAlsoFail: ["RATE-018", "RATE-013", "RATE-039", "limits:u.over", "limits:r2.lost", ...windowRows],
    needs,
  }),
  mutant("limits/slow-refill", "Bucket that refills at half the rate", ["limits:u.under"], {
    mayAlsoFail: ["RATE-015", "RATE-023", "limits:family", "limits:reset.far", "limits:ra.far", ...windowRows],
    needs,
  }),
  mutant("limits/fast-refill", "Bucket that refills at twice the rate", ["limits:family"], {
    mayAlsoFail: ["RATE-018", "limits:u.over", ...windowRows],
    needs,
  }),
  mutant("limits/count-before-cleanup", "Log that is counted before expired entries are dropped", ["limits:u.under"], {
    mayAlsoFail: [
      "RATE-015",
      "RATE-017",
      "RATE-024",
      "RATE-034",
      "limits:ra.short",
      "limits:rem.onreject",
      "limits:claim",
      ...windowRows,
    ],
    origin: "apache/shenyu#6754",
    needs,
  }),
  mutant("limits/daily-window-key", "Windows are named by their time of day and found again a day later", ["limits:u.under"], {
    mayAlsoFail: ["RATE-015", "RATE-040", "limits:r2.gap", "limits:r2.phantom"],
    origin: "LiteLLM#39251",
    needs: ["stage:limits", "clock:manual"],
  }),
];

const remaining: readonly Switch[] = [
  mutant("limits/remaining-stale", "Remaining comes from a cache of 2 s", ["RATE-013", "RATE-039", "limits:r2.lost"], {
    mayAlsoFail: ["limits:claim", "RATE-017", "RATE-040", "limits:family"],
    needs,
  }),
  mutant(
    "limits/remaining-constant",
    "Remaining always equals the limit",
    ["RATE-013", "RATE-039", "limits:r2.lost", "limits:rem.onreject"],
    {
      mayAlsoFail: ["limits:claim", "RATE-015", "RATE-017", "RATE-034"],
      needs,
    },
  ),
  mutant("limits/remaining-negative", "Remaining falls below zero on refusals", ["RATE-007", "limits:rem.range"], {
    origin: "apache/apisix#13079",
    needs,
  }),
  mutant("limits/remaining-too-high-near-zero", "Remaining is one too high among the last three", ["limits:family"], {
    mayAlsoFail: ["RATE-013", "RATE-016", "limits:claim", "limits:r2.lost", "RATE-017"],
    needs,
  }),
  mutant("limits/remaining-on-reject", "Refusals show a positive remaining", ["limits:rem.onreject"], {
    mayAlsoFail: ["RATE-034", "RATE-017", "RATE-014", "limits:claim"],
    needs,
  }),
  mutant("limits/ignores-previous-window", "Sliding counter whose remaining leaves out the last window", ["limits:claim"], {
    mayAlsoFail: ["RATE-017", "RATE-034", "limits:rem.onreject", "limits:family", ...windowRows],
    origin: "upstash/ratelimit-js#61",
    needs,
  }),
];

const resets: readonly Switch[] = [
  mutant("limits/reset-delta", "Reset in seconds from now", ["RATE-010", "RATE-011", "limits:reset.format"], {
    mayAlsoFail: ["RATE-038", "RATE-023"],
    origin: "SecuScan#1838, @fastify/rate-limit",
  }),
  mutant("limits/reset-duration", "Reset as a duration such as 1m0s", ["RATE-010", "RATE-011", "limits:reset.format"], {
    mayAlsoFail: ["RATE-038", "RATE-023"],
    origin: "OpenAI",
  }),
  mutant("limits/reset-milliseconds", "Reset in Unix milliseconds", ["RATE-010", "RATE-011", "limits:reset.format"], {
    mayAlsoFail: ["RATE-023"],
    origin: "Upstash",
  }),
  mutant("limits/reset-window-start", "Reset names the start of the window", ["RATE-010", "RATE-011", "limits:reset.past"], {
    mayAlsoFail: ["RATE-023", "RATE-015", "RATE-040"],
    needs,
  }),
  mutant("limits/reset-moves", "Reset is always a whole window ahead", ["limits:family"], {
    mayAlsoFail: ["RATE-014", "RATE-015", "RATE-018", "RATE-023", "limits:r2.gap"],
    needs,
  }),
  mutant("limits/reset-far", "Reset is two days off", ["RATE-010", "RATE-011", "limits:reset.far"], {
    mayAlsoFail: ["RATE-023", "RATE-030"],
  }),
  mutant("limits/reset-skew", "The limiter's clock is 30 s ahead of Date", ["limits:reset.skew"], {
    mayAlsoFail: ["RATE-015", "RATE-023", "RATE-030", "limits:reset.far"],
    needs,
  }),
];

const retryAfter: readonly Switch[] = [
  mutant("limits/retry-after-floor", "Retry-After is rounded down", ["limits:ra.short"], {
    mayAlsoFail: ["RATE-024"],
    origin: "hashicorp/boundary#4094",
    needs,
  }),
  mutant("limits/retry-after-zero", "Retry-After is 0", ["limits:ra.short"], {
    mayAlsoFail: ["RATE-023", "RATE-024"],
    origin: "tower-governor#65",
    needs,
  }),
  mutant("limits/retry-after-short", "Retry-After is half the true wait", ["limits:ra.short"], {
    mayAlsoFail: ["RATE-023", "RATE-024"],
    needs,
  }),
  mutant("limits/retry-after-window", "Retry-After is always 60", ["limits:ra.long"], {
    mayAlsoFail: ["RATE-023", "limits:family"],
    origin: "LiteLLM",
    needs,
  }),
  mutant("limits/retry-after-milliseconds", "Retry-After in milliseconds", ["limits:ra.far"], {
    mayAlsoFail: ["RATE-023", "RATE-020", "limits:ra.long"],
    needs,
  }),
  mutant("limits/retry-after-negative", "Retry-After is negative", ["limits:ra.form", "RATE-020"], {
    mayAlsoFail: ["RATE-021", "RATE-023", "ERR-031"],
    origin: "flask-limiter#62",
    needs,
  }),
  mutant("limits/retry-after-disagrees", "Header and body name different waits", ["limits:ra.agree"], {
    mayAlsoFail: ["RATE-022", "RATE-023", "limits:ra.long"],
    origin: "discord/discord-api-docs#7394",
    needs,
  }),
  mutant("limits/retry-after-missing", "A refusal says nothing about time", ["RATE-021", "limits:ra.form"], {
    mayAlsoFail: ["RATE-020", "RATE-023", "RATE-024", "BURST-006"],
    origin: "metron#629",
    needs,
  }),
];

const scope: readonly Switch[] = [
  mutant("limits/limit-flaps", "The limit changes every half second", ["limits:limit.const"], {
    mayAlsoFail: [
      "RATE-012",
      "RATE-013",
      "RATE-017",
      "RATE-027",
      "RATE-028",
      "RATE-039",
      "limits:r2.gap",
      "limits:claim",
      "limits:u.under",
    ],
  }),
  mutant("limits/wrong-plan-limit", "The plan's limit is half as high again", ["RATE-027", "RATE-028"], {
    mayAlsoFail: ["limits:limit.plan", "limits:limit.const"],
  }),
  mutant("limits/shared-by-keys", "One counter for all keys", ["RATE-025", "limits:iso.key"], {
    mayAlsoFail: ["RATE-013", "RATE-039", "RATE-018", "limits:u.under", "limits:r2.gap", "limits:limit.const"],
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
    mayAlsoFail: ["RATE-016", "RATE-032", "BURST-005", "ERR-031", "ERR-038", "limits:u.over"],
    origin: "nginx limit_req default",
    needs,
  }),
  mutant("limits/quota-error-shape", "Request limits answer with the quota shape", ["SPEND-015", "RATE-021"], {
    mayAlsoFail: ["RATE-020", "ERR-001", "ERR-038", "limits:ra.form"],
    needs,
  }),
];

export const limitSwitches: readonly Switch[] = [
  ...variants,
  ...counting,
  ...windows,
  ...remaining,
  ...resets,
  ...retryAfter,
  ...scope,
];
