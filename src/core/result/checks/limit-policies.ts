import type { LimitPolicyId } from "../../exchange/limit-phase.ts";
import type { Requirement } from "../requirement.ts";
import type { Supply } from "../supply.ts";
import { burstChecks } from "./burst-checks.ts";
import { requestChecks } from "./request-checks.ts";
import { spendChecks } from "./spend-checks.ts";
import { tokenChecks } from "./token-checks.ts";
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
const queueChecks: LimitCheckTable<typeof checks> = { title: "Queue in a cooldown", checks };

/**
 * The objects of limit checks: limits of the service, and requests that are queued in a cooldown. In the order of the
 * documentation.
 */
interface LimitCheckTables {
  readonly requests: typeof requestChecks;
  readonly tokens: typeof tokenChecks;
  readonly burst: typeof burstChecks;
  readonly queue: typeof queueChecks;
  readonly spend: typeof spendChecks;
}

/** Every check that the limits stage can report. */
export const limitCheckTables: LimitCheckTables = {
  requests: requestChecks,
  tokens: tokenChecks,
  burst: burstChecks,
  queue: queueChecks,
  spend: spendChecks,
};

export type LimitCheckPolicy = keyof LimitCheckTables;

export type LimitCheckId = { [Policy in LimitCheckPolicy]: keyof LimitCheckTables[Policy]["checks"] }[LimitCheckPolicy];

/** The quantity that a policy of a limits result bounds. */
export type LimitPolicyKind = "requests" | "tokens" | "burst" | "key-cap" | "account-cap";

interface LimitPolicyEntry {
  /** For lists of what a run tests. */
  readonly title: string;
  /** The schedules whose requests it is examined by. */
  readonly purpose: LimitPolicyId;
  /**
   * The questions without which an exam of a policy has not judged it: a pass that leaves one of them open would be read as an
   * answer to it. Not among them: what an exam can only ask on a virtual clock (the end of a billing cycle), or of a second key.
   */
  readonly core: readonly LimitCheckId[];
}

/** Every policy of the limits stage: the one place that the exam, the scope of a run and lists of tests read. */
export const limitPolicies: Readonly<Record<LimitPolicyKind, LimitPolicyEntry>> = {
  requests: {
    title: "Request limits of a key and endpoint",
    purpose: "requests",
    // Whether too many were admitted is open only where nothing was refused: then these are open too.
    core: ["limits.under-admission", "limits.retry-after-form"],
  },
  tokens: {
    title: "Token limits of a key",
    purpose: "tokens",
    core: ["tokens.wrong-charge", "tokens.over-admission"],
  },
  burst: {
    title: "Burst allowance and cooldown of a key",
    purpose: "burst",
    core: ["burst.over-admission", "burst.under-admission", "burst.cooldown-too-long"],
  },
  "key-cap": {
    title: "Monthly spend cap of a key",
    purpose: "spend",
    core: [
      "spend.admitted-at-cap",
      "spend.lower-ignored",
      "spend.raise-ignored",
      "spend.overshoot",
      "spend.reopened",
      "spend.refusal-shape",
    ],
  },
  "account-cap": {
    title: "Spend cap of the account",
    purpose: "spend",
    core: ["spend.account-cap-ignored"],
  },
};

/**
 * The parts that a plan of the exam leaves out if the manifest lacks something. The narrow parts first: their reasons say more.
 */
export const examPartNames = [
  "billing cycle",
  "account cap",
  "spend caps",
  "starter plan",
  "pro plan",
  "isolation of keys",
  "queue",
  "burst",
  "tokens",
  "requests",
  "rejections and counting",
] as const;

export type ExamPartName = (typeof examPartNames)[number];

interface ExamPart {
  /** Requirements that only this part can show. */
  readonly rows: (row: Requirement) => boolean;
  /** Policies that have no verdict without it. */
  readonly kinds: readonly LimitPolicyKind[];
  readonly supply: readonly Supply[];
}

const among =
  (...ids: readonly string[]) =>
  ({ id }: Requirement): boolean =>
    ids.includes(id);

/** Rows of the suite limits that the exam of bursts shows. */
// prettier-ignore
const isOfBursts = among(
  "BURST-001", "BURST-002", "BURST-003", "BURST-004", "BURST-005", "BURST-006", "BURST-007", "BURST-008", "BURST-009", "BURST-010",
  "BURST-012", "BURST-013", "BURST-014", "BURST-015", "BURST-016", "BURST-017", "BURST-018", "BURST-019", "BURST-022", "BURST-024", "BURST-025", "BURST-026",
);

export const examParts: Readonly<Record<ExamPartName, ExamPart>> = {
  "billing cycle": { rows: among("SPEND-002", "SPEND-005"), kinds: [], supply: [{ kind: "control" }] },
  "account cap": {
    rows: among("ACC-004", "ACC-005", "SPEND-007", "SPEND-008", "SPEND-010", "SPEND-011"),
    kinds: ["account-cap"],
    supply: [{ kind: "key", name: "spendB" }],
  },
  "spend caps": {
    rows: (row) => row.suite === "spend",
    kinds: ["key-cap", "account-cap"],
    supply: [
      { kind: "key", name: "spendA" },
      { kind: "key-id", name: "spendA" },
      { kind: "permission", name: "patchSettings" },
      { kind: "permission", name: "spendUpToCents" },
      { kind: "restore", key: "spendA" },
    ],
  },
  "starter plan": { rows: among("RATE-027"), kinds: [], supply: [{ kind: "key", name: "starter" }] },
  "pro plan": { rows: among("RATE-028"), kinds: [], supply: [{ kind: "plan" }] },
  "isolation of keys": { rows: among("RATE-025", "BURST-012"), kinds: [], supply: [{ kind: "key", name: "secondary" }] },
  queue: { rows: among("BURST-009", "BURST-010", "BURST-024"), kinds: [], supply: [{ kind: "key", name: "examBurstQueue" }] },
  burst: {
    rows: isOfBursts,
    kinds: ["burst"],
    supply: [
      { kind: "permission", name: "patchSettings" },
      { kind: "key", name: "examBurst" },
      { kind: "key-id", name: "examBurst" },
      { kind: "restore", key: "examBurst" },
    ],
  },
  tokens: {
    rows: among("RATE-031", "RATE-032"),
    kinds: ["tokens"],
    supply: [
      { kind: "key", name: "lowToken" },
      { kind: "model", use: "chat" },
    ],
  },
  requests: {
    // AUTH-037 is shown by a case, which uses up the limit of a key of its own.
    rows: (row) => row.suite === "limits" && !isOfBursts(row) && row.id !== "AUTH-037",
    kinds: ["requests"],
    supply: [{ kind: "permission", name: "exhaustLimits" }],
  },
  "rejections and counting": {
    rows: among("RATE-013", "RATE-017", "RATE-026", "RATE-031", "RATE-035", "RATE-039", "RATE-040"),
    kinds: ["requests", "tokens"],
    supply: [{ kind: "exclusive" }],
  },
};
