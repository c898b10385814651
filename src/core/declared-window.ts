import type { ManifestFacts } from "./manifest.ts";

const usualSeconds = 60;

/** The length of the window of limits that the manifest declares (`features.windowSeconds`), seconds; a minute by the specification. */
export function declaredWindowSeconds({ features }: Pick<ManifestFacts, "features">): number {
  const { windowSeconds } = features;
  return typeof windowSeconds === "number" && windowSeconds > 0 ? windowSeconds : usualSeconds;
}
