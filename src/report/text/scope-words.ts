import { groupBy } from "../../core/group-by.ts";
import type { ScopeResult, WaivedRows } from "../../core/result/scope-result.ts";
import { countOf } from "./format-number.ts";

export interface ScopeLine {
  readonly text: string;
  readonly dim: boolean;
}

/** Rows that were violated: those in scope, and those that nobody asked for. */
export interface ViolatedRows {
  readonly inScope: number;
  readonly inPassing: number;
}

/** `318 of 318 requirements in scope judged, 0 violated; 2 more violated, seen in passing, 62 untested, 3 not applicable` */
export function scopeCounts({ judged, inScope, outside, notApplicable, open }: ScopeResult, violated: ViolatedRows): string {
  const beside = [
    violated.inPassing > 0 ? `${violated.inPassing} more violated, seen in passing` : null,
    outside > 0 ? `${outside} untested` : null,
    notApplicable > 0 ? `${notApplicable} not applicable` : null,
  ].filter((part) => part !== null);
  const optional = inScope - judged - open.length;
  const why = optional > 0 ? ` (${optional === inScope - judged ? "" : `${optional} of them `}of a level that fails no run)` : "";
  const inconclusive = inScope > judged ? `, ${inScope - judged} inconclusive${why}` : "";
  const rest = beside.length === 0 ? "" : `; ${beside.join(", ")}`;
  return `${judged} of ${inScope} requirements in scope judged, ${violated.inScope} violated${inconclusive}${rest}`;
}

/** The part of the selection that the verdict says nothing about; null: it covers everything that was selected. */
export function scopeCaveat({ outside, waived }: ScopeResult): string | null {
  if (outside === 0) return null;
  const given = waived.reduce((sum, { expired, requirements }) => sum + (expired ? 0 : requirements.length), 0);
  const own = given === 0 ? "" : ` (${given} of them waived)`;
  return `This verdict says nothing about the ${countOf(outside, "untested requirement")}${own}.`;
}

/** `4 requirements inconclusive, 62 untested`: the parts without a verdict; null: there are none. */
export function unjudgedWords({ open, outside, waived, unmet, lost }: ScopeResult): string | null {
  const expired = waived.filter((entry) => entry.expired).length;
  const parts = [
    open.length > 0 ? `${countOf(open.length, "requirement")} in scope inconclusive` : null,
    unmet.length > 0 ? `${countOf(unmet.length, "required entry", "required entries")} not met` : null,
    lost.length > 0 ? `${lost.length} that an earlier run judged` : null,
    outside > 0 ? `${outside} untested` : null,
    expired > 0 ? `${countOf(expired, "waiver")} expired` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(", ");
}

/** The panel "to complete this verdict" as lines of text, and what was waived. */
export function scopeLines(scope: ScopeResult): readonly ScopeLine[] {
  const waived = scope.waived.map((entry) => ({ text: `waived ${waiverWords(entry)}`, dim: !entry.expired }));
  return [...waived, ...openLines(scope), ...missingLines(scope)];
}

/** `SPEND-*: 21 requirements (no spend caps, until 2027-01-31)` */
export function waiverWords({ id, reason, expires, expired, requirements }: WaivedRows): string {
  const until = expires === null ? "" : expired ? `, expired on ${expires}` : `, until ${expires}`;
  return `${id}: ${countOf(requirements.length, "requirement")} (${reason}${until})`;
}

/** Binding rows in scope without a verdict, by reason, those that concern most first. */
function openLines({ open, inScope, judged }: ScopeResult): readonly ScopeLine[] {
  if (open.length === 0) return [];
  const groups = [...groupBy(open, ({ reason }) => reason)].toSorted(([, one], [, other]) => other.length - one.length);
  const optional = inScope - judged - open.length;
  return [
    { text: `INCONCLUSIVE  ${countOf(open.length, "requirement")} in scope:`, dim: false },
    ...groups.map(([reason, rows]) => ({ text: `  ${rows.map(({ id }) => id).join(", ")}: ${reason}`, dim: false })),
    // So that the head of this list and the count of all that is inconclusive add up.
    ...(optional > 0
      ? [{ text: `  and ${optional} of a level that does not change the exit code (should, may)`, dim: false }]
      : []),
    { text: "", dim: false },
  ];
}

function missingLines({ missing, yaml, outside }: ScopeResult): readonly ScopeLine[] {
  if (missing.length === 0) return [];
  const plain = (text: string): ScopeLine => ({ text, dim: false });
  const dim = (text: string): ScopeLine => ({ text, dim: true });
  const width = Math.max(...missing.map(({ member }) => member.length));
  const text = (yaml ?? "").trimEnd().split("\n");
  return [
    plain(`TO COMPLETE THIS VERDICT  ${countOf(outside, "untested requirement")}; supply in assay.config.yaml:`),
    ...missing.map(({ member, what, requirements }) =>
      plain(`  ${member.padEnd(width)}  for ${String(requirements.length).padStart(3)}  ${what}`),
    ),
    ...text.map((line) => dim(`    ${line}`)),
    plain(""),
  ];
}
