import { repeatedId } from "../../../core/result/repeated-id.ts";
import type { Result } from "../../../core/result/result.ts";
import type { SuiteResult } from "../../../core/result/conformance-result.ts";
import type { ScopeResult } from "../../../core/result/scope-result.ts";
import type { Verdict } from "../../../core/result/verdict.ts";

/** Type of our predicate; in-toto wants a URI. */
export const predicateType: string = "urn:assay:conformance:v1";

/** The statement of a bundle: all of it follows from `result.json` and the members below `signer`'s hand. */
export interface Predicate {
  readonly product: Product;
  /** ISO 8601, UTC; by the clock of the signer. */
  readonly signedAt: string;
  readonly run: {
    readonly id: string;
    /** ISO 8601, UTC. */
    readonly startedAt: string;
    readonly durationMs: number;
    readonly seed: number;
    readonly strict: boolean;
    readonly interrupted: boolean;
    readonly target: { readonly name: string; readonly baseUrl: string; readonly server: string | null };
  };
  readonly tool: Result["tool"] & { readonly sha256: string };
  readonly specification: Result["spec"];
  readonly catalogue: { readonly sha256: string };
  readonly verdict: Pick<Result, "verdict" | "reason" | "exitCode">;
  /** The rows that could be judged; null: the run was of load only, or sent nothing. */
  readonly scope: Omit<ScopeResult, "open" | "missing" | "yaml"> | null;
  readonly suites: readonly Pick<SuiteResult, "id" | "verdict">[];
  /** Ids of requirements by verdict; those that are neither met nor violated with the reason. */
  readonly requirements: Readonly<
    Partial<Record<Verdict, readonly (string | { readonly id: string; readonly reason: string | null })[]>>
  >;
  readonly limits: readonly { readonly id: string; readonly verdict: string; readonly summary: string }[];
  readonly gates: readonly { readonly profile: string; readonly gate: string; readonly verdict: string }[];
  readonly health: { readonly valid: boolean; readonly reasons: readonly string[] };
  /** The challenge of the run; null: self-asserted. */
  readonly challenge: { readonly sha256: string; readonly commitment: string } | null;
  /** Contents of the members that are stored compressed. */
  readonly contents: readonly Content[];
}

/** Name and version of what was tested, as its vendor calls it. */
export interface Product {
  readonly name: string;
  readonly version: string;
}

export interface Content {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface PredicateInput {
  readonly product: Product;
  readonly signedAt: string;
  readonly result: Result;
  readonly toolSha256: string;
  readonly catalogueSha256: string;
  readonly challenge: Predicate["challenge"];
  readonly contents: readonly Content[];
}

/** The predicate on a result. Pure. */
export function describeResult(input: PredicateInput): Predicate {
  const { result } = input;
  const { server, name, baseUrl } = result.target;
  const bare: ReadonlySet<Verdict> = new Set(["pass", "fail"]);
  const requirements: Partial<Record<Verdict, (string | { readonly id: string; readonly reason: string | null })[]>> = {};
  for (const { id, verdict, reason } of result.conformance?.requirements ?? []) {
    (requirements[verdict] ??= []).push(bare.has(verdict) ? id : { id, reason });
  }
  return {
    product: input.product,
    signedAt: input.signedAt,
    run: {
      id: result.runId,
      startedAt: result.startedAt,
      durationMs: result.durationMs,
      seed: result.seed,
      strict: result.strict,
      interrupted: result.interrupted,
      target: { name, baseUrl, server },
    },
    tool: { ...result.tool, sha256: input.toolSha256 },
    specification: result.spec,
    catalogue: { sha256: input.catalogueSha256 },
    verdict: { verdict: result.verdict, reason: result.reason, exitCode: result.exitCode },
    scope: result.scope === null ? null : describeScope(result.scope),
    suites: (result.conformance?.suites ?? []).map(({ id, verdict }) => ({ id, verdict })),
    requirements,
    limits: (result.limits?.policies ?? []).map(({ id, verdict, summary }) => ({ id, verdict, summary })),
    gates: (result.load?.profiles ?? []).flatMap((profile) =>
      profile.gates.map(({ expression, verdict }) => ({ profile: repeatedId(profile), gate: expression, verdict })),
    ),
    health: { valid: result.health.valid, reasons: result.health.reasons },
    challenge: input.challenge,
    contents: input.contents,
  };
}

/** Open requirements are named among the requirements; the means to close them are the vendor's business. */
function describeScope({ open: _open, missing: _missing, yaml: _yaml, ...scope }: ScopeResult): Predicate["scope"] {
  return scope;
}
