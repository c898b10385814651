import { allCases } from "../../../suites/all-cases.ts";
import { planConformance } from "../../conformance/plan/plan-conformance.ts";
import type { Manifest } from "../../core/manifest.ts";

/** The most that all suites use of a target with this manifest, by their plan. Nothing is sent. */
export function foreseeCost(manifest: Manifest): {
  readonly requests: number;
  readonly tokens: number;
  readonly costUsd: number;
} {
  const { cost } = planConformance(allCases, manifest, { suites: [], cases: [] });
  return { requests: cost.requests, tokens: cost.tokens, costUsd: cost.worstCents / 100 };
}
