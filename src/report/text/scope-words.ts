import { groupBy } from "../../core/group-by.ts";
import type { ScopeResult, WaivedRows } from "../../core/result/scope-result.ts";
import { countOf } from "./format-number.ts";

export interface ScopeLine {
  readonly text: string;
  readonly dim: boolean;
}

const membersListed = 8;
const yamlLines = 14;
const reasonsListed = 4;
const idsListed = 3;

/** `318 of 318 requirements in scope judged, 0 failed; 62 untested, 3 not applicable` */
export function scopeCounts({ judged, inScope, outside, notApplicable }: ScopeResult, failed: number): string {
  const beside = [
    outside > 0 ? `${outside} untested` : null,
    notApplicable > 0 ? `${notApplicable} not applicable` : null,
  ].filter((part) => part !== null);
  const inconclusive = inScope > judged ? `, ${inScope - judged} inconclusive` : "";
  const rest = beside.length === 0 ? "" : `; ${beside.join(", ")}`;
  return `${judged} of ${inScope} requirements in scope judged, ${failed} failed${inconclusive}${rest}`;
}

/** The part of the selection that the verdict says nothing about; null: it covers everything that was selected. */
export function scopeCaveat({ outside, waived }: ScopeResult): string | null {
  if (outside === 0) return null;
  const given = waived.reduce((sum, { expired, requirements }) => sum + (expired ? 0 : requirements.length), 0);
  const own = given === 0 ? "" : ` (${given} of them waived)`;
  return `This verdict says nothing about the ${countOf(outside, "requirement")} outside the scope${own}.`;
}

/** The panel "to complete this verdict" as lines of text, and what was waived. */
export function scopeLines(scope: ScopeResult, whole: boolean): readonly ScopeLine[] {
  const waived = scope.waived.map((entry) => ({ text: `waived ${waiverWords(entry)}`, dim: !entry.expired }));
  return [...waived, ...openLines(scope, whole), ...missingLines(scope, whole)];
}

/** `SPEND-*: 21 requirements (no spend caps, until 2027-01-31)` */
export function waiverWords({ id, reason, expires, expired, requirements }: WaivedRows): string {
  const until = expires === null ? "" : expired ? `, expired on ${expires}` : `, until ${expires}`;
  return `${id}: ${countOf(requirements.length, "requirement")} (${reason}${until})`;
}

function listIds(ids: readonly string[]): string {
  const more = ids.length - idsListed;
  return `${ids.slice(0, idsListed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Cuts no head from its members: what is pasted has to be a manifest. */
function cutYaml(lines: readonly string[]): readonly string[] {
  const last = lines.slice(0, yamlLines).findLastIndex((line) => !line.endsWith(":"));
  return lines.slice(0, last + 1);
}

/** Binding rows in scope without a verdict, by reason, those that concern most first. */
function openLines({ open, inScope, judged }: ScopeResult, whole: boolean): readonly ScopeLine[] {
  if (open.length === 0) return [];
  const groups = [...groupBy(open, ({ reason }) => reason)].toSorted(([, one], [, other]) => other.length - one.length);
  const shown = whole ? groups : groups.slice(0, reasonsListed);
  const optional = inScope - judged - open.length;
  return [
    { text: `INCONCLUSIVE  ${countOf(open.length, "requirement")} in scope:`, dim: false },
    ...shown.map(([reason, rows]) => ({ text: `  ${listIds(rows.map(({ id }) => id))}: ${reason}`, dim: false })),
    ...(shown.length < groups.length
      ? [{ text: `  and ${countOf(groups.length - shown.length, "more reason")}, all in the report`, dim: false }]
      : []),
    // So that the head of this list and the count of all that is inconclusive add up.
    ...(optional > 0
      ? [{ text: `  and ${optional} of a level that does not change the exit code (should, may)`, dim: false }]
      : []),
    { text: "", dim: false },
  ];
}

function missingLines({ missing, yaml, outside }: ScopeResult, whole: boolean): readonly ScopeLine[] {
  if (missing.length === 0) return [];
  const plain = (text: string): ScopeLine => ({ text, dim: false });
  const dim = (text: string): ScopeLine => ({ text, dim: true });
  const shown = whole ? missing : missing.slice(0, membersListed);
  const width = Math.max(...shown.map(({ member }) => member.length));
  const text = (yaml ?? "").trimEnd().split("\n");
  const pasted = whole ? text : cutYaml(text);
  return [
    plain(`TO COMPLETE THIS VERDICT  ${countOf(outside, "requirement")} outside the scope; supply in assay.config.yaml:`),
    ...shown.map(({ member, what, requirements }) =>
      plain(`  ${member.padEnd(width)}  for ${String(requirements.length).padStart(3)}  ${what}`),
    ),
    ...(shown.length < missing.length ? [plain(`  and ${missing.length - shown.length} more, all in the report`)] : []),
    ...pasted.map((line) => dim(`    ${line}`)),
    ...(pasted.length < text.length ? [dim("    # the rest is in the report, and with --verbose")] : []),
    plain(""),
  ];
}
