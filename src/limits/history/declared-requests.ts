import { declaredLimit, planRequests } from "../../core/declared-limit.ts";
import type { ManifestFacts } from "../../core/manifest.ts";

/** Declared requests per window of a key, null when the manifest says nothing about it: plan and limit are those of the primary key. */
export function declaredRequests(manifest: ManifestFacts, key: string): number | null {
  if (key === "starter") return planRequests.starter;
  return key === "primary" ? declaredLimit(manifest) : null;
}

/**
 * The limit of a service whose answers state none: what the manifest says of this key, else of the target for the keys that exams take
 * in the place of the primary one. Other keys may have limits of their own.
 */
export function limitWhereUnstated(manifest: ManifestFacts, key: string): number | null {
  const isExamined = key === "examRequests" || key === "examRequestsTwin";
  return declaredRequests(manifest, key) ?? (isExamined ? manifest.limits.requestsPerMinute : null);
}
