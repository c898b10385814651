import type { Finding } from "../../../core/result/finding.ts";
import type { Result } from "../../../core/result/result.ts";
import { judgedVerdicts } from "../../../core/result/verdict.ts";

/** Whether a run shows a finding; `unjudged`: it could not have shown it, so that its silence proves nothing. */
export type Presence = "present" | "absent" | "unjudged";

export interface FollowedFinding {
  readonly id: string;
  /** As the newest run that shows it says. */
  readonly finding: Finding;
  /**
   * `new`: only the newest run that judged it shows it. `standing`: it shows it, and earlier ones did without a break. `flapping`: it
   * went and came back. `gone`: the newest run that judged it does not show it.
   */
  readonly state: "new" | "standing" | "flapping" | "gone";
  /** By run, oldest first. */
  readonly presence: readonly Presence[];
  /** Index of the first and of the last run that shows it. */
  readonly first: number;
  readonly last: number;
}

const order: readonly FollowedFinding["state"][] = ["new", "flapping", "standing", "gone"];

/** Every finding of any run over all of them; those to act on first. */
export function followFindings(results: readonly Result[]): readonly FollowedFinding[] {
  const newest = new Map<string, Finding>();
  for (const result of results) for (const finding of result.findings) newest.set(finding.id, finding);
  const ids = results.map(({ findings }) => new Set(findings.map(({ id }) => id)));
  const followed = [...newest.values()].map((finding): FollowedFinding => {
    const presence = results.map((result, index): Presence => {
      if (ids[index]?.has(finding.id) === true) return "present";
      return isJudged(finding, result) ? "absent" : "unjudged";
    });
    return {
      id: finding.id,
      finding,
      state: stateOf(presence),
      presence,
      first: presence.indexOf("present"),
      last: presence.lastIndexOf("present"),
    };
  });
  return followed.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state) || other.last - one.last);
}

function stateOf(presence: readonly Presence[]): FollowedFinding["state"] {
  const judged = presence.filter((each) => each !== "unjudged");
  const begins = judged.filter((each, index) => each === "present" && judged[index - 1] !== "present").length;
  if (begins > 1) return "flapping";
  if (judged.at(-1) !== "present") return "gone";
  return judged.at(-2) === "absent" ? "new" : "standing";
}

/** Whether the run judged what the finding is about. */
function isJudged({ requirement, check, stage }: Finding, { conformance, limits, load }: Result): boolean {
  if (stage === "load")
    return (load?.profiles ?? []).some(({ gates }) =>
      gates.some(({ id, verdict }) => id === check && judgedVerdicts.has(verdict)),
    );
  const checks = (limits?.policies ?? []).flatMap((policy) => policy.checks);
  if (stage === "limits") return checks.some(({ id, verdict }) => id === check && judgedVerdicts.has(verdict));
  if (stage !== "conformance") return true;
  return (conformance?.requirements ?? []).some(({ id, verdict }) => id === requirement && judgedVerdicts.has(verdict));
}
