import type { BaselineEntry } from "../../core/manifest.ts";
import type { SettledRequirement } from "./settle-requirement.ts";
import { citeSpec, type DraftFinding } from "./write-findings.ts";

/** Whether this violation is a known one of the target that still may be ignored. */
export function isBaselined(
  { requirement, verdict }: SettledRequirement,
  baseline: readonly BaselineEntry[],
  today: string,
): boolean {
  return baseline.some((entry) => entry.id === requirement.id && entry.verdict === verdict && !hasExpired(entry, today));
}

/** Entries that no longer describe the target: passing now, expired, or naming nothing. Untested rows give no signal. */
export function checkBaseline(
  settled: readonly SettledRequirement[],
  baseline: readonly BaselineEntry[],
  today: string,
): { readonly stale: readonly string[]; readonly findings: readonly DraftFinding[] } {
  const stale: string[] = [];
  const findings: DraftFinding[] = [];
  for (const entry of baseline) {
    const row = settled.find((one) => one.requirement.id === entry.id);
    if (row === undefined) {
      // Ids of gates and limit checks are settled by their own stages; what is written like a requirement has to be one.
      if (!/^[A-Z]+-\d+$/.test(entry.id)) continue;
      stale.push(entry.id);
      findings.push(
        staleEntry(
          entry,
          "no such requirement",
          `the baseline lists ${entry.id}, which is no requirement: correct or remove the entry`,
        ),
      );
      continue;
    }
    const now = row.verdict;
    const isStale = now === "pass" || (now === "advisory" && entry.verdict === "fail");
    if (!isStale && !hasExpired(entry, today)) continue;
    if (isStale) stale.push(entry.id);
    const message = isStale
      ? `the baseline lists ${entry.id} as ${entry.verdict}, but its verdict is ${now}: remove the entry`
      : `the baseline entry for ${entry.id} expired on ${entry.expires ?? "an unknown day"}`;
    findings.push({
      ...staleEntry(entry, `verdict ${now}`, message),
      requirement: entry.id,
      level: row.requirement.level,
      spec: citeSpec(row.requirement),
    });
  }
  return { stale, findings };
}

function staleEntry({ verdict, reason }: BaselineEntry, observed: string, message: string): DraftFinding {
  return {
    stage: "baseline",
    requirement: null,
    check: "baseline",
    level: null,
    verdict: "fail",
    message,
    spec: null,
    sent: null,
    expected: `verdict ${verdict} (${reason})`,
    observed,
    exchanges: [],
    more: 0,
    curl: null,
    baselined: false,
  };
}

function hasExpired({ expires }: BaselineEntry, today: string): boolean {
  return expires !== null && expires < today.slice(0, expires.length);
}
