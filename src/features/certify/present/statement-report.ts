import type { Predicate } from "../statement/predicate.ts";

/** A bundle that was verified, as far as a reader wants to know. */
export interface Presentable {
  readonly predicate: Predicate;
  readonly signer: { readonly id: string; readonly kind: string };
  readonly trust: TrustLevel;
  readonly rejudged: boolean;
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  readonly unmet: readonly string[];
}

/** The facts that the statement, its page and its badge show; every text may hold bytes of a target or a signer. */
export interface StatementReport {
  readonly title: string;
  /** Name and value. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly lists: readonly { readonly title: string; readonly items: readonly string[] }[];
  /** One word of what was certified, and whether it is good. */
  readonly badge: { readonly text: string; readonly tone: "good" | "bad" | "open" };
  /** The facts and what was not judged, for a terminal. */
  readonly lines: readonly string[];
}

/** The claims that a reader may rely on, weakest first (docs/guide/certification.md). */
export type TrustLevel = "self-asserted" | "challenged" | "spot-checked" | "challenged and spot-checked";

const trustWords: Readonly<Record<TrustLevel, string>> = {
  "self-asserted": "self-asserted: the signer's word; the best of many runs may have been picked",
  challenged: "challenged: run with a seed of the verifier, committed to beforehand",
  "spot-checked": "spot-checked: requests drawn by the verifier were judged alike at the live target",
  "challenged and spot-checked":
    "challenged and spot-checked: run with a seed of the verifier, committed to beforehand; requests drawn by the verifier were judged alike at the live target",
};

export function statementReport(bundle: Presentable): StatementReport {
  const { predicate, signer } = bundle;
  const { product, run, tool, verdict, suites, requirements, limits, gates, health } = predicate;
  const count = (name: keyof typeof requirements): number => requirements[name]?.length ?? 0;
  const failed = (requirements.fail ?? []).map((one) => (typeof one === "string" ? one : one.id));
  const facts: (readonly [string, string])[] = [
    ["product", `${product.name} ${product.version}`],
    ["verdict", `${verdict.verdict}: ${verdict.reason}`],
    ["trust", trustWords[bundle.trust]],
    ["judged again", bundle.rejudged ? "yes, to the same bytes" : "no"],
    ["signed by", `${signer.kind} key ${signer.id}`],
    ["signed at", `${predicate.signedAt}, by the clock of the signer`],
    ["run", `${run.id}, began ${run.startedAt}, took ${(run.durationMs / 1000).toFixed(1)} s, seed ${run.seed}`],
    ["target", `${run.target.name} at ${run.target.baseUrl}${run.target.server === null ? "" : ` (${run.target.server})`}`],
    ["scope", describeScope(predicate)],
    ["suites", suites.length === 0 ? "none" : suites.map(({ id, verdict: word }) => `${id} ${word}`).join(", ")],
    [
      "requirements",
      `${count("pass")} met, ${count("fail")} violated${failed.length === 0 ? "" : ` (${failed.join(", ")})`}, ${count("untested")} untested, ${count("inconclusive")} inconclusive`,
    ],
    ["limits", limits.length === 0 ? "not judged" : limits.map(({ id, verdict: word }) => `${id} ${word}`).join(", ")],
    [
      "load gates",
      gates.length === 0 ? "none" : gates.map(({ profile, gate, verdict: word }) => `${profile} ${gate}: ${word}`).join(", "),
    ],
    ["measurement", health.valid ? "valid" : `not valid: ${health.reasons.join(", ")}`],
    ["assay", `${tool.version}, program ${tool.sha256}`],
    ["specification", predicate.specification.sha256],
  ];
  const notJudged = [...(requirements.untested ?? []), ...(requirements.inconclusive ?? [])].map((one) =>
    typeof one === "string" ? one : `${one.id}: ${one.reason ?? ""}`,
  );
  return {
    title: `${product.name} ${product.version}`,
    facts,
    lists: [
      { title: "Not met of what was asked for", items: bundle.unmet },
      { title: "Not judged", items: notJudged },
      { title: "Checked", items: bundle.checked },
      { title: "Not checked", items: bundle.notChecked },
    ],
    badge: badgeOf(bundle),
    lines: [...facts.map(([name, value]) => `${name.padEnd(14)}${value}`), `not judged    ${notJudged.length} requirements`],
  };
}

function describeScope({ scope, run }: Predicate): string {
  const cut = run.interrupted ? "; the run was interrupted" : "";
  if (scope === null) return `no requirement was asked for${cut}`;
  const { judged, inScope, outside, notApplicable, notSelected, waived, unmet, lost } = scope;
  const lacks = [
    ...(waived.length === 0 ? [] : [`waived: ${waived.map(({ id, reason }) => `${id} (${reason})`).join(", ")}`]),
    ...(unmet.length === 0 ? [] : [`required and not judged: ${unmet.map(({ entry }) => entry).join(", ")}`]),
    ...(lost.length === 0 ? [] : [`judged by an earlier run only: ${lost.map(({ id }) => id).join(", ")}`]),
  ];
  const counts = `${judged} of ${inScope} requirements in scope were judged, ${outside} could not be tried, ${notApplicable} did not arise, ${notSelected} were not selected`;
  return `${[counts, ...lacks].join("; ")}${cut}`;
}

/** A badge is read without its page: nothing that is open may look good. */
function badgeOf({ predicate, trust, rejudged, unmet }: Presentable): StatementReport["badge"] {
  const { verdict, suites } = predicate;
  if (verdict.verdict === "failed" || suites.some((suite) => suite.verdict === "non-conformant")) {
    return { text: "findings", tone: "bad" };
  }
  if (verdict.verdict !== "passed" || suites.some((suite) => suite.verdict === "incomplete"))
    return { text: "incomplete", tone: "open" };
  if (unmet.length > 0) return { text: "policy not met", tone: "bad" };
  const how = `${trust}${rejudged ? "" : ", not judged again"}`;
  return suites.length === 0
    ? { text: `measured (${how})`, tone: "open" }
    : { text: `conformant (${how})`, tone: trust.startsWith("challenged") && rejudged ? "good" : "open" };
}
