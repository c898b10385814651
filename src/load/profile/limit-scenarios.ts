import type { LimitScenario, ProfileNeed } from "./file/profile-file.ts";

/**
 * The properties that follow from the limit of a profile. In every one of them bursts and cooldowns of its key are judged
 * beside the request limit, and windows are waited for on the clock of the service, where it lends it and the arrivals have
 * silences.
 */
interface ScenarioFacts {
  /** Permissions without which it could not be reached. */
  readonly needs: readonly ProfileNeed[];
  /** A cap of its key is set, crossed and judged. */
  readonly crossesCap: boolean;
}

export const limitScenarios: Readonly<Record<LimitScenario, ScenarioFacts>> = {
  "request-limit": { needs: ["exhaustLimits"], crossesCap: false },
  cooldown: { needs: ["exhaustLimits"], crossesCap: false },
  "spend-cap": { needs: ["patchSettings", "exhaustLimits", "spend"], crossesCap: true },
};

/** A profile that may exhaust a limit and names none is about the request limit. */
export function defaultScenario(needs: readonly ProfileNeed[]): LimitScenario | null {
  return needs.includes("exhaustLimits") ? "request-limit" : null;
}
