import type { LimitCheckTable } from "./limit-check-text.ts";

const checks = {
  "tokens.wrong-charge": {
    title: "Each request is charged the tokens that it reports",
    subject: "remaining",
    violation: "The remaining tokens do not fall by what the answers report as used.",
    level: "implied",
    requirements: ["RATE-031"],
  },
  "tokens.phantom-consumption": {
    title: "Remaining tokens fall by no more than the requests of the key can use",
    subject: "remaining",
    violation: "Tokens of other keys, or of nobody, are taken off the allowance of a key: it is refused for what it did not use.",
    level: "implied",
    requirements: ["RATE-031"],
  },
  "tokens.left-free": {
    title: "A stream that its client leaves is charged for its prompt at least",
    subject: "remaining",
    violation: "A client reads as much as it wants and leaves before the end: it uses no tokens, and no limit holds it.",
    level: "implied",
    requirements: ["RATE-031"],
  },
  "tokens.left-uncounted": {
    title: "Streams that their clients leave count as requests",
    subject: "remaining",
    violation: "A client that leaves every stream before its end uses up no request limit.",
    level: "implied",
    requirements: ["RATE-043"],
  },
  "tokens.left-slots": {
    title: "After clients left their requests, later ones are served",
    subject: "admission",
    violation: "Each client that goes away keeps a place for ever: in the end the key is refused whatever remains of its limits.",
    level: "implied",
    requirements: ["RATE-024"],
  },
  "tokens.lost-updates": {
    title: "Simultaneous requests are all charged",
    subject: "remaining",
    violation: "Requests that come together overwrite each other's charge: more tokens are used than the counter knows.",
    level: "implied",
    requirements: ["RATE-031"],
  },
  "tokens.over-admission": {
    title: "No request is admitted when the tokens of the window are used up",
    subject: "admission",
    violation: "A client uses more tokens than the limit allows.",
    level: "must",
    requirements: ["RATE-032"],
  },
  "tokens.refusal-status": {
    title: "Requests that the token limit refuses are answered 429",
    subject: "form",
    violation:
      "A request beyond the token limit is answered by another error: a client takes it for a fault of its own or of the service.",
    level: "must",
    requirements: ["RATE-032"],
  },
  "tokens.retry-after-too-short": {
    title: "After the wait that a refusal by the token limit names service resumes",
    subject: "wait",
    violation: "A client that waits as asked, and sends nothing in between, is refused again.",
    level: "implied",
    requirements: ["RATE-024"],
  },
  "tokens.retry-after-too-long": {
    title: "The wait in a refusal by the token limit is of the order of the window",
    subject: "wait",
    violation: "The wait is many windows long: it is wrong, or written in another unit.",
    level: "implied",
    requirements: ["RATE-044"],
  },
} as const;

/** Checks of the token limit, in the order of the documentation. */
export const tokenChecks: LimitCheckTable<typeof checks> = { title: "Token limit", checks };
