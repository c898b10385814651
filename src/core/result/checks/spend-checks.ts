import type { LimitCheckTable } from "./limit-check-text.ts";

const checks = {
  "spend.admitted-at-cap": {
    title: "Nothing is admitted once the cap is reached",
    subject: "admission",
    violation: "A key spends more than its monthly cap.",
    level: "must",
    requirements: ["SPEND-001", "KEY-011", "KEY-012"],
  },
  "spend.lower-ignored": {
    title: "Lowering a cap takes effect",
    subject: "admission",
    violation: "A key whose cap was lowered below what it spent goes on spending.",
    level: "must",
    requirements: ["KEY-012"],
  },
  "spend.zero-ignored": {
    title: "A cap of zero is a cap",
    subject: "admission",
    violation: "A key whose cap is zero goes on spending: zero may mean no cap, which the specification leaves open.",
    level: "should",
    requirements: ["KEY-010"],
  },
  "spend.overshoot": {
    title: "Simultaneous requests do not overshoot the cap",
    subject: "admission",
    violation: "Requests that arrive together are admitted beyond the cap, more than one of them.",
    level: "implied",
    requirements: ["SPEND-012"],
  },
  "spend.raise-ignored": {
    title: "Below the cap, and after it was raised, requests are served",
    subject: "admission",
    violation: "A key is refused although its cap lies above what it has spent.",
    level: "implied",
    requirements: ["SPEND-013", "KEY-011"],
  },
  "spend.sum-unlike-report": {
    title: "A cap counts what the usage report shows",
    subject: "admission",
    violation:
      "Requests that cost fractions of a cent count toward a cap otherwise than they are charged: rounded by call, twice or not at all.",
    level: "implied",
    requirements: ["SPEND-022", "KEY-011"],
  },
  "spend.reopened": {
    title: "A cap that was reached stays reached",
    subject: "admission",
    violation: "A key that was refused at its cap is served again before the billing cycle ends and without a change of the cap.",
    level: "must",
    requirements: ["SPEND-001", "SPEND-002"],
  },
  "spend.keys-share-cap": {
    title: "The cap of one key leaves others alone",
    subject: "isolation",
    violation: "A key is refused because of the cap, or the spend, of another one.",
    level: "must",
    requirements: ["SPEND-008", "KEY-013"],
  },
  "spend.account-cap-ignored": {
    title: "The account cap binds every key",
    subject: "admission",
    violation: "The keys of an account together spend more than the cap of the account.",
    level: "must",
    requirements: ["SPEND-010", "SPEND-011", "ACC-004", "ACC-005"],
  },
  "spend.endpoint-exempt": {
    title: "A reached cap holds on every endpoint that costs money",
    subject: "admission",
    violation: "A key that is refused at its cap goes on spending by another way in.",
    level: "must",
    requirements: ["SPEND-009"],
  },
  "spend.refusal-shape": {
    title: "A quota refusal has the quota shape",
    subject: "form",
    violation: "A client cannot distinguish a refusal at a spend cap from another one.",
    level: "must",
    requirements: ["SPEND-003", "SPEND-004", "SPEND-015"],
  },
  "spend.cap-type-missing": {
    title: "A quota refusal names its cap",
    subject: "form",
    violation: "A client does not know which cap was reached.",
    level: "must",
    requirements: ["SPEND-006"],
  },
  "spend.wait-untrue": {
    title: "The wait of a quota refusal leads to one instant",
    subject: "wait",
    violation: "The waits of refusals at one cap do not lead to one end of the billing cycle.",
    level: "implied",
    requirements: ["SPEND-005"],
  },
  "spend.cycle-early": {
    title: "Refused until the billing cycle ends",
    subject: "admission",
    violation: "A capped key is served before the end of the billing cycle that its refusals name.",
    level: "must",
    requirements: ["SPEND-002"],
  },
  "spend.cycle-not-reset": {
    title: "Served again when the billing cycle has ended",
    subject: "admission",
    violation: "A capped key is still refused after the end of the billing cycle that its refusals name.",
    level: "must",
    requirements: ["SPEND-002"],
  },
} as const;

/** Checks of spend caps, in the order of the documentation. */
export const spendChecks: LimitCheckTable<typeof checks> = { title: "Spend caps", checks };
