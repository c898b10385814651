import type { RoundPhase, RoundSuffix } from "./round-phase.ts";

/**
 * The purpose of each request of an exam, by policy. A schedule sends with a phase of its policy, and the judge of that policy
 * looks for it: a phase that does not stand here, or that belongs to another policy, does not compile. Evidence and timelines
 * name them.
 */
export const limitPhases = {
  requests: {
    A: "quiet requests: what the answers state before anything is used up",
    B: "simultaneous requests; of endpoints that are looked at briefly all that is left",
    "B-uploads": "while an endpoint is used up: requests whose bodies end together, so that all are under way at once",
    C: "one request each after a brief pause and a longer one: whether the allowance refills",
    D: "the limit is used up: to the last request that remains, and on until one is refused",
    E: "retries while it is used up, each as soon as the refusal before it allows",
    F: "while it is used up: another key, another endpoint, and the key itself",
    "F-spelling": "while it is used up: other spellings of the same path",
    "F-identity": "while it is used up: the same key with other claims about the client",
    G: "the return after the whole stated wait in silence",
    H: "another window, used up by simultaneous requests, and the return with visits in between",
    I: "more than the limit at once after a silent window",
    J: "half a window later, until one is refused",
    K: "the return at the end of that wait, nothing in between",
    L: "half of what is allowed, for two windows",
    M: "half more than is allowed, for more than a window",
    N: "the last requests of a window, wanted by more at once than there are",
    O: "another key that is refused once, then silent until that wait is over",
    P: "a day after phase I, at the same time",
    Q: "the other endpoint after a whole silent window: more than the limit at once, then alone",
    R: "another key: most of its allowance is used up, and visited while it comes back",
    S: "what the algorithms that still explain everything disagree about",
    T: "on a virtual clock, before anything else: the first window, until one is refused",
    plan: "keys of other plans, one request each: the limit that they state",
    "low-limit": "the conformance suite: the limit of a key with a small one is used up",
  },
  tokens: {
    reading: "a request as small as can be: how many tokens remain",
    press: "a part of the limit, so that the reset lies ahead",
    exhaust: "large requests until one is refused",
    exhausted: "a reading when the tokens are used up",
    returned: "the refused request once more after the whole stated wait",
    together: "simultaneous requests",
    "together-after": "a reading when all of their charges have settled",
    "charge-prompt": "a long prompt between two readings",
    "charge-answer": "a long answer between two readings",
    "charge-stream-prompt": "a long prompt, streamed",
    "charge-stream-answer": "a long answer, streamed",
    "charge-left": "a stream that the client leaves after its first tokens",
    "left-whole": "a short stream that is read to its end, before others like it are left",
    "left-at-head": "simultaneous streams that their clients leave with the head",
    "left-early": "simultaneous streams that their clients leave after some tokens",
    "left-late": "simultaneous streams that their clients leave just before the end",
    "left-upload": "a request whose client leaves when it has sent half of it",
    "left-reading": "a small request between those that are left: whether it is served, and what remains",
    "left-again": "a small request a silent window later",
    "charge-embedding": "a batch of embeddings between two readings",
  },
  burst: {
    volley: "more than the allowance at once",
    cooldown: "within the cooldown, by every way in",
    after: "when the cooldown must be over",
    second: "a second volley, in the next minute",
    sequential: "the allowance used up one by one",
    "resume-hinted": "back when the refusal said; a volley follows",
    resume: "back when the cooldown must be over; a volley follows",
    "quiet-hinted": "back when the refusal said, nothing in between",
    "quiet-after": "back when the cooldown must be over, nothing in between",
    "below-1": "one less than the allowance",
    "below-2": "one less than the allowance, in the next minute",
    "other-key": "another key, while this one cools down",
    "window-used": "at a raised allowance: requests of one window before a change of settings",
    "window-read": "right after that change: the requests that remain",
  },
  spend: {
    price: "purchases between two usage reports: what one costs",
    capped: "at a cap below what is spent",
    "capped-other": "at that cap: the other endpoints that cost money",
    "capped-free": "at that cap: one that costs nothing",
    twin: "at that cap of one key: another key of the account",
    zero: "at a cap of 0",
    raised: "at a cap above what is spent, until it is reached",
    race: "simultaneous purchases at a cap that some of them reach",
    raced: "at that cap when their charges have settled",
    lowered: "at a cap that was lowered below what is spent",
    "lowered-at-once": "at such a cap that was set together with another setting",
    account: "two keys at a cap of the account that is reached",
    "cycle-before": "at that cap: when the billing cycle ends",
    "cycle-early": "shortly before the billing cycle ends",
    "cycle-after": "when the billing cycle has ended",
    search: "at caps that are set to find out what the key has spent",
    "cheap-chat": "chat that costs a fraction of a cent a request",
    "cheap-stream": "streams that cost a fraction of a cent each",
    "cheap-embedding": "embeddings that cost a fraction of a cent a request",
    "below-sum": "at a cap just below what was spent by the usage report",
    "above-sum": "at a cap just above it",
    "usage-cheap": "usage reports between requests that cost a fraction of a cent",
    "usage-before": "usage report before the first purchase",
    "usage-after": "usage report after it",
    "usage-raise": "usage report before the cap is raised",
    "usage-race": "usage report after the simultaneous purchases",
  },
} as const;

export type LimitPolicyId = keyof typeof limitPhases;

export type LimitPhases = {
  readonly [Policy in LimitPolicyId]:
    | keyof (typeof limitPhases)[Policy]
    | (Policy extends "burst" ? `${RoundPhase}${RoundSuffix}` : never);
};

/** A policy with one of its phases. */
export type LimitPurpose = {
  readonly [Policy in LimitPolicyId]: { readonly policy: Policy; readonly phase: LimitPhases[Policy] };
}[LimitPolicyId];

export type LimitPhase = LimitPurpose["phase"];
