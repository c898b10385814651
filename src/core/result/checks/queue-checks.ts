import type { LimitCheckTable } from "./limit-check-text.ts";

const checks = {
  "queue.request-lost": {
    title: "A queued request is answered after the cooldown",
    subject: "admission",
    violation: "Requests that are queued in a cooldown are never answered.",
    level: "must",
    requirements: ["BURST-009"],
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
