import type { Result } from "../../core/result/result.ts";
import type { Verdict } from "../../core/result/verdict.ts";

/** Type of our predicate; in-toto wants a URI. */
export const predicateType: string = "urn:assay:conformance:v1";

/** What a certificate says: all of it follows from `result.json` and the members below `signer`'s hand. */
export interface Predicate {
  readonly product: Product;
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
  readonly verdict: { readonly verdict: string; readonly reason: string; readonly exitCode: number };
  readonly suites: readonly { readonly id: string; readonly verdict: string }[];
  /** Ids of requirements by verdict; those that are neither met nor violated with the reason. */
  readonly requirements: Readonly<
    Partial<Record<Verdict, readonly (string | { readonly id: string; readonly reason: string | null })[]>>
  >;
  readonly limits: readonly { readonly id: string; readonly verdict: string; readonly summary: string }[];
  readonly gates: readonly { readonly profile: string; readonly gate: string; readonly verdict: string }[];
  readonly health: { readonly valid: boolean; readonly reasons: readonly string[] };
  /** Of what the run was held to; null: self-asserted. */
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
    suites: (result.conformance?.suites ?? []).map(({ id, verdict }) => ({ id, verdict })),
    requirements,
    limits: (result.limits?.policies ?? []).map(({ id, verdict, summary }) => ({ id, verdict, summary })),
    gates: (result.load?.profiles ?? []).flatMap(({ id, gates }) =>
      gates.map(({ expression, verdict }) => ({ profile: id, gate: expression, verdict })),
    ),
    health: { valid: result.health.valid, reasons: result.health.reasons },
    challenge: input.challenge,
    contents: input.contents,
  };
}
