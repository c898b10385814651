import type { Unmet } from "../../conformance/plan/case-needs.ts";
import { matchesId } from "../../core/id-pattern.ts";
import { keyVariable } from "../../core/key-variable.ts";
import type { ManifestFacts, Waiver } from "../../core/manifest.ts";
import type { ConformanceResult, RequirementResult } from "../../core/result/conformance-result.ts";
import { isBinding } from "../../core/result/is-binding.ts";
import { suiteIds } from "../../core/result/requirement.ts";
import type { MissingSupply, ScopeGap, ScopeResult, WaivedRows } from "../../core/result/scope-result.ts";
import type { Verdict } from "../../core/result/verdict.ts";
import { missingSupply } from "./missing-supply.ts";

export interface ScopeInput {
  readonly conformance: ConformanceResult;
  readonly manifest: ManifestFacts;
  /** Why requirements could not be tried, with what would have to be supplied. */
  readonly untested: ReadonlyMap<string, Unmet>;
  /** What an earlier run judged and this one did not. */
  readonly lost: readonly ScopeGap[];
  /** ISO date of the run, for waivers that expire. */
  readonly today: string;
}

const judgedVerdicts: ReadonlySet<Verdict> = new Set(["pass", "fail", "advisory", "observed"]);

/** What a run could judge and what not, and what would have to be supplied for the rest. */
export function describeScope({ conformance, manifest, untested, lost, today }: ScopeInput): ScopeResult {
  const rows = conformance.requirements;
  const isSelected = (row: RequirementResult): boolean => row.untested !== "not-selected";
  const judged = rows.filter(({ verdict }) => judgedVerdicts.has(verdict));
  const outside = rows.filter((row) => row.verdict === "untested" && isSelected(row));
  const missing = findMissing(outside, untested).filter(({ member }) => !isSupplied(member, manifest));
  return {
    judged: judged.length,
    inScope: judged.length + rows.filter(({ verdict }) => verdict === "inconclusive").length,
    outside: outside.length,
    notApplicable: rows.filter(({ verdict }) => verdict === "not-applicable").length,
    notSelected: rows.filter((row) => row.verdict === "untested" && !isSelected(row)).length,
    open: rows.filter((row) => isOpen(row, conformance)).map(({ id, reason }) => ({ id, reason: reason ?? "not judged" })),
    missing,
    waived: manifest.waive.map((entry) => describeWaiver(entry, rows, today)),
    unmet: manifest.require.flatMap((entry) => {
      const lacking = rows.filter((row) => isRequired(entry, row) && lacksVerdict(row)).map(({ id }) => id);
      return lacking.length === 0 ? [] : [{ entry, requirements: lacking }];
    }),
    lost,
    yaml: supplyYaml(missing.map(({ member }) => member)),
  };
}

/** The overlay binds nobody unless nothing else was asked for. */
function isOpen({ verdict, level, suite }: RequirementResult, { suites }: ConformanceResult): boolean {
  if (verdict !== "inconclusive") return false;
  return suite === "convention" ? suites.every(({ id }) => id === "convention") : isBinding(level);
}

function findMissing(outside: readonly RequirementResult[], untested: ReadonlyMap<string, Unmet>): readonly MissingSupply[] {
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

/** Whether the manifest holds a member that a check needs. Money that may be spent can be too little, so that it is always named. */
function isSupplied(member: string, manifest: ManifestFacts): boolean {
  const [group = "", name = "", part = ""] = member.split(".");
  switch (group) {
    case "keys":
      return part === "id" ? manifest.keys[name]?.id != null : manifest.keys[name] !== undefined;
    case "models":
      return (manifest.models as Readonly<Record<string, unknown>>)[name] != null;
    case "permissions":
      return (manifest.permissions as unknown as Readonly<Record<string, unknown>>)[name] === true;
    case "restore":
      return name === "keys" ? manifest.restore.keys[part] !== undefined : manifest.restore.account != null;
    case "exclusive":
      return manifest.exclusive;
    default:
      return false;
  }
}

/** YAML for a manifest that supplies all these members (`keys.readOnly`, `permissions.fetchImages` ...); null without any. */
export function supplyYaml(members: readonly string[]): string | null {
  const names = (group: string): readonly string[] => [
    ...new Set(members.filter((member) => member.startsWith(`${group}.`)).map((member) => member.split(".")[1] ?? "")),
  ];
  const block = (head: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [head, ...lines.map((line) => `  ${line}`)];
  const lines = [
    ...block(
      "keys:",
      names("keys").map((name) => {
        const reference = `\${${keyVariable(name)}}`;
        return members.includes(`keys.${name}.id`)
          ? `${name}: { secret: "${reference}", id: key_id_of_it }`
          : `${name}: ${reference}`;
      }),
    ),
    ...block(
      "models:",
      names("models").map((name) => `${name}: id-of-a-model`),
    ),
    ...block(
      "permissions:",
      names("permissions").map((name) => `${name}: ${name === "spendUpToCents" ? "500" : "true"}`),
    ),
    ...block("restore:", restoreLines(members)),
    ...block(
      "faults:",
      names("faults").map((status) => `"${status}": { headers: { name-of-a-header: value } }`),
    ),
    ...(members.includes("foreignKeyId") ? ["foreignKeyId: key_id_of_another_workspace"] : []),
    ...(members.includes("exclusive") ? ["exclusive: true"] : []),
    ...(members.includes("target.plan") ? ["# target.plan: starter or pro"] : []),
  ];
  return lines.length === 0 ? null : `${lines.join("\n")}\n`;
}

function restoreLines(members: readonly string[]): readonly string[] {
  const keys = members.filter((member) => member.startsWith("restore.keys.")).map((member) => member.split(".")[2] ?? "");
  return [
    ...(keys.length === 0 ? [] : ["keys:"]),
    ...keys.map((name) => `  ${name}: { burst_limit: null, cooldown_seconds: null, monthly_spend_cap: null }`),
    ...(members.includes("restore.account") ? ["account: { account_spend_cap: null }"] : []),
  ];
}
