import type { LimitCheckTable } from "./limit-check-text.ts";

const checks = {
  "queue.request-lost": {
    title: "A queued request is answered after the cooldown",
    subject: "admission",
    violation: "Requests that are queued in a cooldown are never answered.",
    level: "must",
    requirements: ["BURST-009"],
  },
  "queue.released-late": {
    title: "A queue lets out what fits when the cooldown is over",
    subject: "admission",
    violation: "A queued request waits on although the cooldown is over and the allowance has room for it.",
    level: "must",
    requirements: ["BURST-009"],
  },
  "queue.released-at-once": {
    title: "Requests that a queue lets out use the allowance",
    subject: "admission",
    violation: "A queue lets out more at once than the allowance of a minute.",
    level: "should",
    requirements: ["BURST-024"],
  },
  "queue.mixed-with-refusals": {
    title: "A key either queues or refuses",
    subject: "form",
    violation: "Within one cooldown some requests are queued and others refused.",
    level: "should",
    requirements: ["BURST-010"],
  },
  "queue.out-of-order": {
    title: "Queued requests are served in the order of their arrival",
    subject: "admission",
    violation: "A request that came later is served clearly before one that came earlier.",
    level: "should",
    requirements: ["BURST-009"],
  },
} as const;

/** Checks of requests that are queued in a cooldown, in the order of the documentation. */
export const queueChecks: LimitCheckTable<typeof checks> = { title: "Queue in a cooldown", checks };
