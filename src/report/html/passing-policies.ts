import type { LimitPolicyResult } from "../../core/result/limits-result.ts";
import { fragment, table } from "./parts.ts";
import { html, nothing, type SafeHtml } from "./safe-html.ts";

/** Nothing examined it: its requests were sent for other purposes, and they were too few to conclude anything. */
export function isSeenInPassing({ verdict, drivenBy }: LimitPolicyResult): boolean {
  return verdict === "inconclusive" && drivenBy === "passing";
}

/** One row for each policy that was only seen in passing, so that those which were examined stand out. */
export function renderPassingPolicies(policies: readonly LimitPolicyResult[]): SafeHtml {
  if (policies.length === 0) return nothing;
  const count = (policy: LimitPolicyResult, lane: string): number => policy.timeline.ops.filter((op) => op.lane === lane).length;
  return html`<div class="card">
    <header>
      <h3>Seen in passing</h3>
      <span class="sub">requests of other stages, too few to judge the limit</span>
    </header>
    ${table({
      caption: "Policies that were only seen in passing",
      head: ["Policy", "Admitted", "Rejected", "Why it is not judged", "Passed in what was seen"],
      figures: [1, 2],
      rows: policies.map((policy) => [
        html`<span id="${fragment("policy-", policy.id)}">${policy.title}</span>`,
        count(policy, "admitted"),
        count(policy, "rejected"),
        policy.summary,
        policy.checks
          .filter((check) => check.verdict === "pass")
          .map((check) => check.id)
          .join(", "),
      ]),
    })}
  </div>`;
}
