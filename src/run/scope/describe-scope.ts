import { isOffered, type Unmet } from "../../conformance/plan/case-needs.ts";
import { matchesId } from "../../core/id-pattern.ts";
import { keyEntry } from "../../core/key-entry.ts";
import type { ManifestFacts, Waiver } from "../../core/manifest.ts";
import type { ConformanceResult, RequirementResult } from "../../core/result/conformance-result.ts";
import { isBinding } from "../../core/result/is-binding.ts";
import { suiteIds } from "../../core/result/requirement.ts";
import type { ScopeGap, ScopeResult, WaivedRows } from "../../core/result/scope-result.ts";
import { judgedVerdicts } from "../../core/result/verdict.ts";
import type { Lack, Supply } from "../../core/result/supply.ts";
import { missingSupply } from "./missing-supply.ts";

export interface ScopeInput {
  readonly conformance: ConformanceResult;
  readonly manifest: ManifestFacts;
  /** Why requirements could not be tried, with what would have to be supplied. */
  readonly untested: ReadonlyMap<string, Unmet>;
  /** The rows that an earlier run judged and this one did not. */
  readonly lost: readonly ScopeGap[];
  /** ISO date of the run, for waivers that expire. */
  readonly today: string;
}

/** The rows that a run could judge, those that it could not, and the supplies that the latter need. */
export function describeScope({ conformance, manifest, untested, lost, today }: ScopeInput): ScopeResult {
  const isSelected = (row: RequirementResult): boolean => row.untested !== "not-selected" && row.inPassing !== true;
  const rows = conformance.requirements;
  const asked = rows.filter(isSelected);
  const judged = asked.filter(({ verdict }) => judgedVerdicts.has(verdict));
  const outside = asked.filter(({ verdict }) => verdict === "untested");
  const missing = findMissing(outside, untested).filter(({ supply }) => !isSupplied(supply, manifest));
  return {
    judged: judged.length,
    inScope: judged.length + asked.filter(({ verdict }) => verdict === "inconclusive").length,
    outside: outside.length,
    notApplicable: asked.filter(({ verdict }) => verdict === "not-applicable").length,
    notSelected: rows.length - asked.length,
    open: asked.filter((row) => isOpen(row, conformance)).map(({ id, reason }) => ({ id, reason: reason ?? "not judged" })),
    missing: missing.map(({ member, what, requirements }) => ({ member, what, requirements })),
    waived: manifest.waive.map((entry) => describeWaiver(entry, rows, today)),
    unmet: manifest.require.flatMap((entry) => {
      const lacking = rows.filter((row) => isRequired(entry, row) && lacksVerdict(row)).map(({ id }) => id);
      return lacking.length === 0 ? [] : [{ entry, requirements: lacking }];
    }),
    lost,
    yaml: supplyYaml(missing.map(({ supply }) => supply)),
  };
}

/** The overlay binds nobody unless nothing else was asked for. */
function isOpen({ verdict, level, suite }: RequirementResult, { suites }: ConformanceResult): boolean {
  if (verdict !== "inconclusive") return false;
  return suite === "convention" ? suites.every(({ id }) => id === "convention") : isBinding(level);
}

function findMissing(outside: readonly RequirementResult[], untested: ReadonlyMap<string, Unmet>): readonly Lack[] {
  return missingSupply(
    outside.flatMap(({ id, untested: why }) => {
      const unmet = why === "waived" ? undefined : untested.get(id);
      return unmet === undefined ? [] : [[id, unmet] as const];
    }),
  );
}

/** Whether a waiver still counts on this day. */
export function isWaiverValid({ expires }: Waiver, today: string): boolean {
  return expires === null || expires >= today.slice(0, expires.length);
}

function describeWaiver(entry: Waiver, rows: readonly RequirementResult[], today: string): WaivedRows {
  const matching = rows.filter(({ id }) => matchesId(entry.id, id));
  const expired = !isWaiverValid(entry, today);
  const requirements = expired
    ? matching.map(({ id }) => id)
    : matching.filter(({ untested }) => untested === "waived").map(({ id }) => id);
  return { ...entry, expired, requirements };
}

/** `complete` and suites ask for the rows that bind; a row that is named is asked for whatever its level. */
function isRequired(entry: string, { id, suite, level, verdict }: RequirementResult): boolean {
  if (verdict === "excluded") return false;
  if (entry === "complete") return suite !== "convention" && isBinding(level);
  if (suiteIds.some((known) => known === entry)) return suite === entry && (suite === "convention" || isBinding(level));
  return matchesId(entry, id);
}

function lacksVerdict({ verdict, untested }: RequirementResult): boolean {
  return verdict === "inconclusive" || (verdict === "untested" && untested !== "waived");
}

/**
 * Whether the manifest holds what a check needs. Money that may be spent can be too little, a plan the other one, and a control plane
 * without a virtual clock: these are always named.
 */
function isSupplied(supply: Supply, manifest: ManifestFacts): boolean {
  if (supply.kind === "plan" || supply.kind === "control") return false;
  if (supply.kind === "permission" && supply.name === "spendUpToCents") return false;
  return isOffered(supply, manifest);
}

/** YAML for a manifest that supplies all of this; null without any. */
export function supplyYaml(supplies: readonly Supply[]): string | null {
  const ofKind = <Kind extends Supply["kind"]>(kind: Kind): readonly Extract<Supply, { readonly kind: Kind }>[] =>
    supplies.filter((one): one is Extract<Supply, { readonly kind: Kind }> => one.kind === kind);
  const block = (head: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [head, ...lines.map((line) => `  ${line}`)];
  const withId = new Set(ofKind("key-id").map(({ name }) => name));
  const keys = new Set(supplies.flatMap((one) => (one.kind === "key" || one.kind === "key-id" ? [one.name] : [])));
  const restored = ofKind("restore").filter(({ key }) => key !== "account");
  const lines = [
    ...block(
      "keys:",
      [...keys].map((name) => `${name}: ${keyEntry(name, withId.has(name))}`),
    ),
    ...block(
      "models:",
      ofKind("model").map(({ use }) => `${use}: id-of-a-model`),
    ),
    ...block(
      "permissions:",
      ofKind("permission").map(({ name }) => `${name}: ${name === "spendUpToCents" ? "500" : "true"}`),
    ),
    ...block("restore:", [
      ...block(
        "keys:",
        restored.map(({ key }) => `${key}: { burst_limit: null, cooldown_seconds: null, monthly_spend_cap: null }`),
      ),
      ...(restored.length < ofKind("restore").length ? ["account: { account_spend_cap: null }"] : []),
    ]),
    ...block(
      "prices:",
      ofKind("price").map(({ name }) => `${name}: 0.01`),
    ),
    ...block(
      "faults:",
      ofKind("fault").map(({ status }) => `"${status}": { headers: { name-of-a-header: value } }`),
    ),
    ...ofKind("foreign-key-id").map(() => "foreignKeyId: key_id_of_another_workspace"),
    ...ofKind("exclusive").map(() => "exclusive: true"),
    ...ofKind("plan").map(() => "# target.plan: starter or pro"),
  ];
  return lines.length === 0 ? null : `${lines.join("\n")}\n`;
}
