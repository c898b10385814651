import type { ManifestFacts } from "../../core/manifest.ts";

const usualSeconds = 60;

/** The length of the window of limits that the manifest declares (`features.windowSeconds`), seconds; a minute by the specification. */
export function declaredWindowSeconds({ features }: Pick<ManifestFacts, "features">): number {
  return Number(features["windowSeconds"] ?? usualSeconds);
}
