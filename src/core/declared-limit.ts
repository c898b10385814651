import type { ManifestFacts } from "./manifest.ts";

/** Requests per minute that a plan has where nothing else is declared (spec, section "Rate limits"). */
export const planRequests = { starter: 60, pro: 600 } as const;

/** Requests per minute of the primary key, as declared, else those of its plan; null where neither is. */
export function declaredLimit({ limits, target }: DeclaredFacts): number | null {
  return limits.requestsPerMinute ?? (target.plan === null ? null : planRequests[target.plan]);
}

interface DeclaredFacts {
  readonly limits: Pick<ManifestFacts["limits"], "requestsPerMinute">;
  readonly target: Pick<ManifestFacts["target"], "plan">;
}
