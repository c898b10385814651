import type { LimitCheckTable } from "./limit-check-text.ts";

const checks = {
  "burst.over-admission": {
    title: "Not more than the allowance is admitted before the cooldown is over",
    subject: "admission",
    violation: "More is served than the burst allowance before the cooldown is over: the setting does not protect.",
    level: "must",
    requirements: ["BURST-003", "BURST-002", "BURST-019"],
  },
  "burst.under-admission": {
    title: "The whole allowance is granted",
    subject: "admission",
    violation: "Requests are refused or held back although the burst allowance cannot be used up.",
    level: "must",
    requirements: ["BURST-001", "BURST-018", "BURST-015", "BURST-016"],
  },
  "burst.cooldown-too-long": {
    title: "Service resumes when the cooldown is over",
    subject: "admission",
    violation: "A client is refused after the cooldown that was set has passed.",
    level: "must",
    requirements: ["BURST-004"],
  },
  "burst.change-empties-window": {
    title: "A change of settings leaves the request window as it is",
    subject: "remaining",
    violation: "Each change of a key's settings lets its whole request limit through once more.",
    level: "implied",
    requirements: ["BURST-025"],
  },
  "burst.raise-ignored": {
    title: "A raised burst limit takes effect",
    subject: "admission",
    violation: "A higher burst limit is confirmed and the lower one goes on: its owner pays for room that the key never gets.",
    level: "must",
    requirements: ["BURST-026"],
  },
  "burst.cooldown-prolonged": {
    title: "Attempts during a cooldown do not prolong it",
    subject: "wait",
    violation: "Each attempt moves the end of the cooldown: a client that retries is never served.",
    level: "should",
    requirements: ["BURST-017", "BURST-008"],
  },
  "burst.retry-after-untrue": {
    title: "The wait in a refusal is what is left of the cooldown",
    subject: "wait",
    violation: "The wait does not lead to the end of the cooldown.",
    level: "should",
    requirements: ["BURST-007"],
  },
  "burst.retry-after-form": {
    title: "A refusal in a cooldown states the wait",
    subject: "form",
    violation: "A client that is refused in a cooldown does not know when to come back.",
    level: "must",
    requirements: ["BURST-006"],
  },
  "burst.retry-after-too-short": {
    title: "After the wait that a refusal names service resumes",
    subject: "wait",
    violation: "A client that waits as asked, and sends nothing in between, is refused again.",
    level: "implied",
    requirements: ["RATE-024"],
  },
  "burst.retry-after-too-long": {
    title: "The wait in a refusal is of the order of the cooldown",
    subject: "wait",
    violation: "The wait is more than twice as long as cooldown and minute: it is wrong, or written in another unit.",
    level: "implied",
    requirements: ["BURST-007"],
  },
  "burst.refusal-status": {
    title: "Requests that a cooldown refuses are answered 429",
    subject: "form",
    violation: "Requests in a cooldown are answered by another error: a client takes it for a fault or for a missing right.",
    level: "must",
    requirements: ["BURST-005"],
  },
} as const;

/** Checks of bursts and cooldowns, in the order of the documentation. */
export const burstChecks: LimitCheckTable<typeof checks> = { title: "Burst and cooldown", checks };
