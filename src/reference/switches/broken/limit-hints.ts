import type { Mutant } from "../switch.ts";
import { inExam, mutant } from "../switch-builders.ts";

/** Defects of what the limiter says about time: reset headers and Retry-After. */
export const limitHintMutants: readonly Mutant[] = [
  mutant("limits/reset-delta", "Reset in seconds from now", ["RATE-010", "RATE-011", "limits.reset-format"], {
    mayAlsoFail: ["RATE-038", "RATE-023"],
    origin: "SecuScan#1838, @fastify/rate-limit",
  }),
  mutant("limits/reset-duration", "Reset as a duration such as 1m0s", ["RATE-010", "RATE-011", "limits.reset-format"], {
    mayAlsoFail: ["RATE-038", "RATE-023"],
    origin: "OpenAI",
  }),
  mutant("limits/reset-milliseconds", "Reset in Unix milliseconds", ["RATE-010", "RATE-011", "limits.reset-format"], {
    mayAlsoFail: ["RATE-023"],
    origin: "Upstash",
  }),
  inExam("limits/reset-window-start", "Reset names the start of the window", ["RATE-010", "RATE-011", "limits.reset-past"], {
    mayAlsoFail: ["RATE-015", "RATE-023", "RATE-040", "limits.reset-not-kept"],
  }),
  inExam("limits/reset-moves", "Reset is always a whole window ahead", ["limits.early-renewal"], {
    mayAlsoFail: ["RATE-014", "RATE-015", "RATE-018", "RATE-023", "limits.algorithm"],
  }),
  mutant("limits/reset-far", "Reset is two days off", ["RATE-010", "RATE-011", "limits.reset-too-far"], {
    mayAlsoFail: ["RATE-014", "RATE-023", "RATE-030", "limits.reset-past", "limits.early-renewal"],
  }),
  inExam("limits/reset-skew", "The limiter's clock is 30 s ahead of Date", ["limits.early-renewal"], {
    mayAlsoFail: ["RATE-014", "RATE-015", "RATE-023", "RATE-030", "limits.reset-too-far"],
  }),
  inExam("limits/retry-after-floor", "Retry-After is rounded down", ["limits.retry-after-too-short"], {
    mayAlsoFail: ["RATE-024"],
    origin: "hashicorp/boundary#4094",
  }),
  inExam("limits/retry-after-zero", "Retry-After is 0", ["limits.retry-after-too-short"], {
    mayAlsoFail: ["RATE-023", "RATE-024", "RATE-044"],
    origin: "tower-governor#65",
  }),
  mutant("limits/retry-after-hour-longer", "Retry-After is an hour too long", ["RATE-044"], {
    mayAlsoFail: ["RATE-023"],
  }),
  inExam("limits/retry-after-short", "Retry-After is half the true wait", ["limits.retry-after-too-short"], {
    mayAlsoFail: ["RATE-023", "RATE-024"],
  }),
  inExam("limits/retry-after-window", "Retry-After is always 60", ["limits.retry-after-too-long"], {
    mayAlsoFail: ["RATE-023", "limits.algorithm"],
    origin: "LiteLLM",
  }),
  inExam("limits/retry-after-milliseconds", "Retry-After in milliseconds", ["RATE-020", "limits.retry-after-unit"], {
    mayAlsoFail: ["RATE-023", "RATE-044"],
  }),
  inExam("limits/retry-after-negative", "Retry-After is negative", ["limits.retry-after-form", "RATE-021"], {
    mayAlsoFail: ["RATE-020", "RATE-023", "ERR-031"],
    origin: "flask-limiter#62",
  }),
  inExam("limits/retry-after-disagrees", "Header and body name different waits", ["limits.retry-after-disagrees"], {
    mayAlsoFail: ["RATE-022", "RATE-023", "BURST-007", "limits.retry-after-too-long", "burst.retry-after-untrue"],
    origin: "discord/discord-api-docs#7394",
  }),
  inExam("limits/retry-after-missing", "A refusal says nothing about time", ["RATE-021", "limits.retry-after-form"], {
    mayAlsoFail: ["RATE-020", "RATE-023", "RATE-024", "BURST-006", "burst.retry-after-form"],
    origin: "metron#629",
  }),
];
