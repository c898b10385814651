import type { Predicate } from "../statement/predicate.ts";

/** A bundle that was verified, as far as a reader wants to know. */
export interface Presentable {
  readonly predicate: Predicate;
  readonly signer: { readonly id: string; readonly kind: string };
  readonly trust: "self-asserted" | "challenged";
  readonly rejudged: boolean;
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  readonly unmet: readonly string[];
}

/** What the statement, its page and its badge show; every text may hold bytes of a target or a signer. */
export interface StatementReport {
  readonly title: string;
  /** Name and value. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly notJudged: readonly string[];
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  readonly unmet: readonly string[];
  /** One word of what was certified, and whether it is good. */
  readonly badge: { readonly text: string; readonly tone: "good" | "bad" | "open" };
  /** The facts and what was not judged, for a terminal. */
  readonly lines: readonly string[];
}

const trustWords = {
  "self-asserted": "self-asserted: the signer's word; the best of many runs may have been picked",
  challenged: "challenged: run with a seed of the verifier, committed to beforehand",
} as const;

export function statementReport(bundle: Presentable): StatementReport {
  const { predicate, signer } = bundle;
  const { product, run, tool, verdict, suites, requirements, limits, gates, health } = predicate;
  const count = (name: keyof typeof requirements): number => requirements[name]?.length ?? 0;
  const failed = (requirements.fail ?? []).map(idOf);
  const facts: (readonly [string, string])[] = [
    ["product", `${product.name} ${product.version}`],
    ["verdict", `${verdict.verdict}: ${verdict.reason}`],
    ["trust", trustWords[bundle.trust]],
    ["judged again", bundle.rejudged ? "yes, to the same bytes" : "no"],
    ["signed by", `${signer.kind} key ${signer.id}`],
    ["run", `${run.id}, began ${run.startedAt}, took ${(run.durationMs / 1000).toFixed(1)} s, seed ${run.seed}`],
    ["target", `${run.target.name} at ${run.target.baseUrl}${run.target.server === null ? "" : ` (${run.target.server})`}`],
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
    notJudged,
    checked: bundle.checked,
    notChecked: bundle.notChecked,
    unmet: bundle.unmet,
    badge: badgeOf(bundle),
    lines: [...facts.map(([name, value]) => `${name.padEnd(14)}${value}`), `not judged    ${notJudged.length} requirements`],
  };
}

/** A badge is read without its page: nothing that is open may look good. */
function badgeOf({ predicate, trust, rejudged, unmet }: Presentable): StatementReport["badge"] {
  const { verdict, suites } = predicate;
  if (verdict.verdict === "findings" || suites.some((suite) => suite.verdict === "non-conformant")) {
    return { text: "findings", tone: "bad" };
  }
  if (verdict.verdict !== "met" || suites.some((suite) => suite.verdict === "incomplete"))
    return { text: "incomplete", tone: "open" };
  if (unmet.length > 0) return { text: "policy not met", tone: "bad" };
  const how = `${trust}${rejudged ? "" : ", not judged again"}`;
  return suites.length === 0
    ? { text: `measured (${how})`, tone: "open" }
    : { text: `conformant (${how})`, tone: trust === "challenged" && rejudged ? "good" : "open" };
}

function idOf(one: string | { readonly id: string }): string {
  return typeof one === "string" ? one : one.id;
}
