import type { LimitCheckText } from "./limit-check-text.ts";

/** Ids of the checks of bursts, cooldowns, queues and the token limit. */
export type BurstCheckId =
  | "tokens.wrong-charge"
  | "tokens.lost-updates"
  | "tokens.over-admission"
  | "tokens.refusal-status"
  | "tokens.retry-after-too-short"
  | "tokens.retry-after-too-long"
  | "burst.over-admission"
  | "burst.under-admission"
  | "burst.cooldown-too-long"
  | "burst.cooldown-prolonged"
  | "burst.retry-after-untrue"
  | "burst.retry-after-form"
  | "burst.retry-after-too-short"
  | "burst.retry-after-too-long"
  | "burst.refusal-status"
  | "queue.request-lost"
  | "queue.mixed-with-refusals"
  | "queue.out-of-order";

/** Checks of bursts, cooldowns, queues and the token limit, in the order of the documentation. */
export const burstChecks: Readonly<Record<BurstCheckId, LimitCheckText>> = {
  "tokens.wrong-charge": {
    title: "Each request is charged the tokens that it reports",
    policy: "tokens",
    subject: "remaining",
    violation: "The remaining tokens do not fall by what the answers report as used.",
    level: "implied",
    requirements: ["RATE-031"],
  },
  "tokens.lost-updates": {
    title: "Simultaneous requests are all charged",
    policy: "tokens",
    subject: "remaining",
    violation: "Requests that come together overwrite each other's charge: more tokens are used than the counter knows.",
    level: "implied",
    requirements: ["RATE-031"],
  },
  "tokens.over-admission": {
    title: "No request is admitted when the tokens of the window are used up",
    policy: "tokens",
    subject: "admission",
    violation: "A client uses more tokens than the limit allows.",
    level: "must",
    requirements: ["RATE-032"],
  },
  "tokens.refusal-status": {
    title: "What the token limit refuses is answered 429",
    policy: "tokens",
    subject: "form",
    violation:
      "A request beyond the token limit is answered by another error: a client takes it for a fault of its own or of the service.",
    level: "must",
    requirements: ["RATE-032"],
  },
  "tokens.retry-after-too-short": {
    title: "After the wait that a refusal by the token limit names service resumes",
    policy: "tokens",
    subject: "wait",
    violation: "A client that waits as asked, and sends nothing in between, is refused again.",
    level: "implied",
    requirements: ["RATE-024"],
  },
  "tokens.retry-after-too-long": {
    title: "The wait in a refusal by the token limit is of the order of the window",
    policy: "tokens",
    subject: "wait",
    violation: "The wait is many windows long: it is wrong, or written in another unit.",
    level: "implied",
    requirements: ["RATE-044"],
  },
  "burst.over-admission": {
    title: "Not more than the allowance is admitted before the cooldown is over",
    policy: "burst",
    subject: "admission",
    violation: "More is served than the burst allowance before the cooldown is over: the setting does not protect.",
    level: "must",
    requirements: ["BURST-003", "BURST-002", "BURST-019"],
  },
  "burst.under-admission": {
    title: "The whole allowance is granted",
    policy: "burst",
    subject: "admission",
    violation: "Requests are refused or held back although the burst allowance cannot be used up.",
    level: "must",
    requirements: ["BURST-001", "BURST-018", "BURST-015", "BURST-016"],
  },
  "burst.cooldown-too-long": {
    title: "Service resumes when the cooldown is over",
    policy: "burst",
    subject: "admission",
    violation: "A client is refused after the cooldown that was set has passed.",
    level: "must",
    requirements: ["BURST-004"],
  },
  "burst.cooldown-prolonged": {
    title: "Attempts during a cooldown do not prolong it",
    policy: "burst",
    subject: "wait",
    violation: "Each attempt moves the end of the cooldown: a client that retries is never served.",
    level: "should",
    requirements: ["BURST-017", "BURST-008"],
  },
  "burst.retry-after-untrue": {
    title: "The wait in a refusal is what is left of the cooldown",
    policy: "burst",
    subject: "wait",
    violation: "The wait does not lead to the end of the cooldown.",
    level: "should",
    requirements: ["BURST-007"],
  },
  "burst.retry-after-form": {
    title: "A refusal in a cooldown states the wait",
    policy: "burst",
    subject: "form",
    violation: "A client that is refused in a cooldown does not know when to come back.",
    level: "must",
    requirements: ["BURST-006"],
  },
  "burst.retry-after-too-short": {
    title: "After the wait that a refusal names service resumes",
    policy: "burst",
    subject: "wait",
    violation: "A client that waits as asked, and sends nothing in between, is refused again.",
    level: "implied",
    requirements: ["RATE-024"],
  },
  "burst.retry-after-too-long": {
    title: "The wait in a refusal is of the order of the cooldown",
    policy: "burst",
    subject: "wait",
    violation: "The wait is more than twice as long as cooldown and minute: it is wrong, or written in another unit.",
    level: "implied",
    requirements: ["BURST-007"],
  },
  "burst.refusal-status": {
    title: "What a cooldown refuses is answered 429",
    policy: "burst",
    subject: "form",
    violation: "Requests in a cooldown are answered by another error: a client takes it for a fault or for a missing right.",
    level: "must",
    requirements: ["BURST-005"],
  },
  "queue.request-lost": {
    title: "A queued request is answered after the cooldown",
    policy: "queue",
    subject: "admission",
    violation: "Requests that are queued in a cooldown are never answered.",
    level: "must",
    requirements: ["BURST-009"],
  },
  "queue.mixed-with-refusals": {
    title: "A key either queues or refuses",
    policy: "queue",
    subject: "form",
    violation: "Within one cooldown some requests are queued and others refused.",
    level: "should",
    requirements: ["BURST-010"],
  },
  "queue.out-of-order": {
    title: "Queued requests are served in the order of their arrival",
    policy: "queue",
    subject: "admission",
    violation: "A request that came later is served clearly before one that came earlier.",
    level: "should",
    requirements: ["BURST-009"],
  },
};
