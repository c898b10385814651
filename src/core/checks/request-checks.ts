import type { LimitCheckText } from "./limit-check-text.ts";

/** Ids of the checks of the request limit. */
export type RequestCheckId =
  | "limits.over-admission"
  | "limits.under-admission"
  | "limits.remaining-not-granted"
  | "limits.lost-updates"
  | "limits.phantom-consumption"
  | "limits.early-renewal"
  | "limits.remaining-range"
  | "limits.remaining-on-refusal"
  | "limits.remaining-not-restored"
  | "limits.limit-changed"
  | "limits.limit-differs-from-plan"
  | "limits.reset-format"
  | "limits.reset-past"
  | "limits.reset-too-far"
  | "limits.reset-moved-back"
  | "limits.reset-not-kept"
  | "limits.keys-share-counter"
  | "limits.endpoints-share-counter"
  | "limits.path-bypass"
  | "limits.retry-after-form"
  | "limits.retry-after-disagrees"
  | "limits.retry-after-too-short"
  | "limits.retry-after-unit"
  | "limits.retry-after-too-long"
  | "limits.capacity-above-limit"
  | "limits.refusal-of-another-kind"
  | "limits.second-limit"
  | "limits.clocks-differ"
  | "limits.algorithm";

/** Checks of the request limit, in the order of the documentation. */
export const requestChecks: Readonly<Record<RequestCheckId, LimitCheckText>> = {
  "limits.over-admission": {
    title: "No more requests are admitted than any window can hold",
    policy: "requests",
    subject: "admission",
    violation: "A client gets more requests through than the limit allows, whatever window algorithm is used.",
    level: "must",
    requirements: ["RATE-018"],
  },
  "limits.under-admission": {
    title: "No request is rejected while the allowance cannot be used up",
    policy: "requests",
    subject: "admission",
    violation: "A client is refused although nothing that it sent can have used up the limit.",
    level: "implied",
    requirements: ["RATE-017"],
  },
  "limits.remaining-not-granted": {
    title: "What remaining promises is granted",
    policy: "requests",
    subject: "remaining",
    violation: "An answer says that requests remain, and a request that comes alone soon after is refused all the same.",
    level: "implied",
    requirements: ["RATE-017"],
  },
  "limits.lost-updates": {
    title: "Parallel requests are counted one by one",
    policy: "requests",
    subject: "remaining",
    violation: "The counter loses updates: of requests that come together some are admitted without being counted.",
    level: "must",
    requirements: ["RATE-039", "RATE-013"],
  },
  "limits.phantom-consumption": {
    title: "Remaining falls by no more than was sent",
    policy: "requests",
    subject: "remaining",
    violation: "The counter falls by more than this client can have used: requests count twice, or others use the same counter.",
    level: "must",
    requirements: ["RATE-013"],
  },
  "limits.early-renewal": {
    title: "Nothing is renewed before the stated reset beyond any lawful refill",
    policy: "requests",
    subject: "remaining",
    violation: "The allowance comes back before the reset that the service names: the reset is wrong, or counters are lost.",
    level: "implied",
    requirements: ["RATE-014"],
  },
  "limits.remaining-range": {
    title: "Remaining lies between 0 and the limit",
    policy: "requests",
    subject: "remaining",
    violation: "A client that reads the remaining requests as a whole number of at most the limit cannot.",
    level: "must",
    requirements: ["RATE-007", "RATE-008"],
  },
  "limits.remaining-on-refusal": {
    title: "A rejected request sees nothing remaining",
    policy: "requests",
    subject: "remaining",
    violation: "A refusal says that requests remain: a client that trusts it comes back at once.",
    level: "should",
    requirements: ["RATE-034", "RATE-016"],
  },
  "limits.remaining-not-restored": {
    title: "After two silent windows as much remains as ever did",
    policy: "requests",
    subject: "remaining",
    violation: "Part of the allowance is never given back: counters leak.",
    level: "implied",
    requirements: ["RATE-040"],
  },
  "limits.limit-changed": {
    title: "The stated limit stays the same",
    policy: "requests",
    subject: "limit",
    violation: "The stated limit changes although no setting does: instances disagree, or the plan was changed meanwhile.",
    level: "implied",
    requirements: ["RATE-012"],
  },
  "limits.limit-differs-from-plan": {
    title: "The stated limit is that of the plan",
    policy: "requests",
    subject: "limit",
    violation: "The limit that answers state is not the one that the plan or the manifest declares.",
    level: "must",
    requirements: ["RATE-027", "RATE-028"],
  },
  "limits.reset-format": {
    title: "The reset header is a Unix time in seconds",
    policy: "requests",
    subject: "reset",
    violation: "A client that reads the reset as Unix seconds waits for the wrong instant.",
    level: "must",
    requirements: ["RATE-010"],
  },
  "limits.reset-past": {
    title: "The stated reset lies ahead, by no more than a day",
    policy: "requests",
    subject: "reset",
    violation: "The reset lies in the past by the field Date and by the clock here, or days ahead: a client cannot use it.",
    level: "must",
    requirements: ["RATE-010"],
  },
  "limits.reset-too-far": {
    title: "The stated reset is at most one window ahead",
    policy: "requests",
    subject: "reset",
    violation: "A client that waits for the stated reset waits longer than a window lasts.",
    level: "should",
    requirements: ["RATE-030"],
  },
  "limits.reset-moved-back": {
    title: "The stated reset does not move backwards",
    policy: "requests",
    subject: "reset",
    violation: "A later answer names an earlier reset: instances disagree about the window.",
    level: "should",
    requirements: ["RATE-038"],
  },
  "limits.reset-not-kept": {
    title: "The allowance is renewed at the stated reset",
    policy: "requests",
    subject: "reset",
    violation: "A client that comes after the stated reset, and sent nothing in between, is refused.",
    level: "must",
    requirements: ["RATE-015"],
  },
  "limits.keys-share-counter": {
    title: "Another key is not affected",
    policy: "requests",
    subject: "isolation",
    violation: "One client can use up the allowance of another one.",
    level: "must",
    requirements: ["RATE-025"],
  },
  "limits.endpoints-share-counter": {
    title: "Another endpoint is not affected",
    policy: "requests",
    subject: "isolation",
    violation: "Requests to one endpoint use up the allowance of another one.",
    level: "must",
    requirements: ["RATE-026"],
  },
  "limits.path-bypass": {
    title: "No other spelling of the path escapes the limit",
    policy: "requests",
    subject: "isolation",
    violation: "A client gets around the limit by writing the path differently.",
    level: "must",
    requirements: ["RATE-018"],
  },
  "limits.retry-after-form": {
    title: "A rejection says when to come back",
    policy: "requests",
    subject: "wait",
    violation: "A client that is refused does not know when to come back.",
    level: "must",
    requirements: ["RATE-021"],
  },
  "limits.retry-after-disagrees": {
    title: "Header and body name the same wait",
    policy: "requests",
    subject: "wait",
    violation: "Header and body name different waits: one of them is wrong.",
    level: "implied",
    requirements: ["RATE-022"],
  },
  "limits.retry-after-too-short": {
    title: "After the stated wait a request is admitted",
    policy: "requests",
    subject: "wait",
    violation: "A client that waits as asked, and sends nothing in between, is refused again.",
    level: "implied",
    requirements: ["RATE-024"],
  },
  "limits.retry-after-unit": {
    title: "The wait is in seconds",
    policy: "requests",
    subject: "wait",
    violation: "The wait is written in another unit: clients wait a thousand times too long or not at all.",
    level: "must",
    requirements: ["RATE-020"],
  },
  "limits.retry-after-too-long": {
    title: "The stated wait is no longer than needed",
    policy: "requests",
    subject: "wait",
    violation: "Clients that obey wait longer than they need to.",
    level: "should",
    requirements: ["RATE-023"],
  },
  "limits.capacity-above-limit": {
    title: "Remaining counts from the stated limit, with or without the request that shows it",
    policy: "requests",
    subject: "remaining",
    violation:
      "One request more than the limit is admitted: the first answer shows all of the limit, and one of the last shows zero.",
    level: "must",
    requirements: ["RATE-018"],
  },
  "limits.refusal-of-another-kind": {
    title: "Whatever comes beyond the limit is refused with 429, and every request is accounted for",
    policy: "requests",
    subject: "form",
    violation: "At its limit the service answers another error than 429: clients do not wait, and operators look for an outage.",
    level: "must",
    requirements: ["RATE-019"],
  },
  "limits.second-limit": {
    title: "What a second, shorter limit refuses is admitted when its wait is over",
    policy: "requests",
    subject: "wait",
    violation:
      "Requests are refused although the stated limit has something left, and waiting as long as they say does not help.",
    level: "implied",
    requirements: ["RATE-024"],
  },
  "limits.clocks-differ": {
    title: "Answers in turn come from one clock",
    policy: "requests",
    subject: "reset",
    violation: "Instances whose clocks differ answer in turn: resets and waits are as wrong as the clocks are apart.",
    level: "should",
    requirements: ["RATE-038"],
  },
  "limits.algorithm": {
    title: "A known algorithm explains every decision and every remaining",
    policy: "requests",
    subject: "algorithm",
    violation: "No window algorithm that assay knows explains the history. With a declared algorithm: it is not that one.",
    level: "should",
    requirements: ["RATE-036"],
  },
};
