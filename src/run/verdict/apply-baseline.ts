import type { BaselineEntry } from "../../core/manifest.ts";
import { findLimitCheck } from "../../core/result/checks/limit-checks.ts";
import type { RequirementResult } from "../../core/result/conformance-result.ts";
import type { Finding } from "../../core/result/finding.ts";
import { findingId, violatedIn } from "../../core/result/finding-id.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import { parseFigure } from "../../load/gates/parse-gate.ts";
import { passiveCheck } from "./passive-check.ts";
import { citeSpec } from "../../conformance/verdict/write-findings.ts";

export interface BaselineInput {
  readonly baseline: readonly BaselineEntry[];
  readonly catalogue: readonly Requirement[];
  readonly requirements: readonly RequirementResult[];
  /** ISO date of the run. */
  readonly today: string;
}

/**
 * Marks the findings that the baseline knows, and adds one for each entry that no longer describes the target: its requirement
 * passes now, its day is over, or its id names nothing. A row that was not judged gives no signal.
 */
export function applyBaseline(findings: readonly Finding[], input: BaselineInput): readonly Finding[] {
  const valid = input.baseline.filter((entry) => !hasExpired(entry, input.today));
  const marked = findings.map((finding) =>
    valid.some((entry) => isKnownBy(entry, finding)) ? { ...finding, baselined: true } : finding,
  );
  return [...marked, ...input.baseline.flatMap((entry) => checkEntry(entry, findings, input))];
}

/** An entry names a finding, or what it violates; one that knows an advisory does not forgive a failure. */
function isKnownBy({ id, verdict }: BaselineEntry, finding: Finding): boolean {
  const isNamed = finding.id === id || finding.requirement === id || (hasNamedCheck(finding) && finding.check === id);
  return isNamed && (verdict === "fail" || finding.verdict === verdict);
}

/** Of other findings the check is a judge, which speaks of many things. */
function hasNamedCheck({ stage, check }: Finding): boolean {
  return stage === "limits" || (stage === "load" && check !== passiveCheck);
}

type Entry =
  | { readonly kind: "requirement"; readonly row: Requirement }
  | { readonly kind: "finding"; readonly row: Requirement | null }
  | { readonly kind: "check" }
  | { readonly kind: "unknown" };

function readEntry(id: string, catalogue: readonly Requirement[]): Entry {
  const rowOf = (name: string | null): Requirement | null => catalogue.find((row) => row.id === name) ?? null;
  const row = rowOf(id);
  if (row !== null) return { kind: "requirement", row };
  const isNamed = (name: string): boolean => findLimitCheck(name) !== undefined || isFigure(name);
  if (isNamed(id)) return { kind: "check" };
  const violated = violatedIn(id);
  const owner = rowOf(violated);
  return owner !== null || (violated !== null && isNamed(violated)) ? { kind: "finding", row: owner } : { kind: "unknown" };
}

/** The id of a gate is its figure: `chat.ttft.p95`. */
function isFigure(text: string): boolean {
  try {
    parseFigure(text);
    return true;
  } catch {
    return false;
  }
}

function checkEntry(entry: BaselineEntry, findings: readonly Finding[], input: BaselineInput): readonly Finding[] {
  const { id, verdict } = entry;
  const known = readEntry(id, input.catalogue);
  if (known.kind === "unknown") {
    const message = `the baseline lists ${id}, which is no requirement, limit check, gate or finding: correct or remove the entry`;
    return [describe(entry, null, "no such id", message)];
  }
  const row = known.kind === "check" ? null : known.row;
  const now = input.requirements.find((one) => one.id === row?.id)?.verdict ?? null;
  const seen = findings.some((finding) => isKnownBy(entry, finding));
  if (now === "pass" || (now === "advisory" && verdict === "fail" && known.kind === "requirement")) {
    return [
      describe(
        entry,
        row,
        `verdict ${now}`,
        `the baseline lists ${id} as ${verdict}, but its verdict is ${now}: remove the entry`,
      ),
    ];
  }
  if (!hasExpired(entry, input.today) || (known.kind !== "requirement" && !seen)) return [];
  const message = `the baseline entry for ${id} expired on ${entry.expires ?? "an unknown day"}`;
  return [describe(entry, row, now === null ? "it is still there" : `verdict ${now}`, message)];
}

function describe({ id, verdict, reason }: BaselineEntry, row: Requirement | null, observed: string, message: string): Finding {
  return {
    id: findingId("baseline", id),
    stage: "baseline",
    requirement: row?.id ?? null,
    also: [],
    check: "baseline",
    level: row?.level ?? null,
    verdict: "fail",
    message,
    spec: row === null ? null : citeSpec(row),
    sent: null,
    expected: `verdict ${verdict} (${reason})`,
    observed,
    forms: [],
    exchanges: [],
    more: 0,
    curl: null,
    baselined: false,
  };
}

function hasExpired({ expires }: BaselineEntry, today: string): boolean {
  return expires !== null && expires < today.slice(0, expires.length);
}
