import type { Unmet } from "../../conformance/plan/case-needs.ts";
import type { LimitPolicyResult, LimitsResult } from "../../core/result/limits-result.ts";
import type { Requirement } from "../../core/result/requirement.ts";

/** A part of the exam of limits that the plan can leave out. */
interface ExamPart {
  /** As the plan names it in `notJudged`. */
  readonly policy: string;
  /** Requirements that only this part can show. */
  readonly rows: (row: Requirement) => boolean;
  /** Policies that have no verdict without it. */
  readonly kinds: readonly LimitPolicyResult["kind"][];
  /** Members of the manifest that it needs. */
  readonly supply: readonly string[];
}

const among =
  (...ids: readonly string[]) =>
  ({ id }: Requirement): boolean =>
    ids.includes(id);
const inArea =
  (...areas: readonly string[]) =>
  ({ id }: Requirement): boolean =>
    areas.includes(id.replace(/-\d+$/, ""));

/** The narrow parts first: their reasons say more. */
const parts: readonly ExamPart[] = [
  { policy: "billing cycle", rows: among("SPEND-002", "SPEND-005"), kinds: [], supply: ["control"] },
  {
    policy: "account cap",
    rows: among("ACC-004", "ACC-005", "SPEND-007", "SPEND-008", "SPEND-010", "SPEND-011"),
    kinds: ["account-cap"],
    supply: ["keys.spendB"],
  },
  {
    policy: "spend caps",
    rows: (row) => row.suite === "spend",
    kinds: ["key-cap", "account-cap"],
    supply: ["keys.spendA", "keys.spendA.id", "permissions.patchSettings", "permissions.spendUpToCents", "restore.keys.spendA"],
  },
  { policy: "starter plan", rows: among("RATE-027"), kinds: [], supply: ["keys.starter"] },
  { policy: "pro plan", rows: among("RATE-028"), kinds: [], supply: ["target.plan"] },
  { policy: "isolation of keys", rows: among("RATE-025", "BURST-012"), kinds: [], supply: ["keys.secondary"] },
  { policy: "queue", rows: among("BURST-009", "BURST-010"), kinds: [], supply: ["keys.examBurstQueue"] },
  {
    policy: "burst",
    rows: inArea("BURST"),
    kinds: ["burst"],
    supply: ["permissions.patchSettings", "keys.examBurst", "keys.examBurst.id", "restore.keys.examBurst"],
  },
  { policy: "tokens", rows: among("RATE-031", "RATE-032"), kinds: ["tokens"], supply: ["keys.lowToken", "models.chat"] },
  {
    policy: "requests",
    rows: (row) => row.suite === "limits" && inArea("RATE", "STRM", "ERR")(row),
    kinds: ["requests"],
    supply: ["permissions.exhaustLimits"],
  },
  {
    policy: "rejections and counting",
    rows: among("RATE-013", "RATE-017", "RATE-026", "RATE-031", "RATE-035", "RATE-039", "RATE-040"),
    kinds: ["requests", "tokens"],
    supply: ["exclusive"],
  },
];

/** Which requirements the exam of limits could not reach for lack of something in the manifest. */
export function limitsOutOfScope(
  notJudged: LimitsResult["notJudged"],
  catalogue: readonly Requirement[],
): ReadonlyMap<string, Unmet> {
  const missing = parts.flatMap((part) => {
    const entry = notJudged.find(({ policy }) => policy === part.policy);
    return entry === undefined ? [] : [{ part, unmet: unmetBy(entry, part.supply) }];
  });
  const rows = catalogue.filter(({ suite, exclusion }) => (suite === "limits" || suite === "spend") && exclusion === null);
  return new Map(
    rows.flatMap((row) => {
      const first = missing.find(({ part }) => part.rows(row));
      return first === undefined ? [] : [[row.id, first.unmet] as const];
    }),
  );
}

/** Policies whose doubt is explained by what the manifest lacks. */
export function kindsOutOfScope(notJudged: LimitsResult["notJudged"]): ReadonlySet<LimitPolicyResult["kind"]> {
  return new Set(parts.flatMap(({ policy, kinds }) => (notJudged.some((entry) => entry.policy === policy) ? kinds : [])));
}

function unmetBy({ untested, reason }: LimitsResult["notJudged"][number], supply: readonly string[]): Unmet {
  return untested === undefined
    ? { reason: "not-declared", text: reason, supply }
    : { reason: untested, text: reason.slice(`${untested}: `.length), supply };
}
