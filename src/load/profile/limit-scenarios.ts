import type { LimitScenario, ProfileNeed } from "./load-profile.ts";

/** What follows from the limit that a profile is about. */
interface ScenarioFacts {
  /** Permissions without which it could not be reached. */
  readonly needs: readonly ProfileNeed[];
  /** Bursts and cooldowns of its key are judged beside the request limit, which is judged in every profile. */
  readonly watchesBursts: boolean;
  /** A cap of its key is set, crossed and judged. */
  readonly crossesCap: boolean;
  /** Windows and cooldowns are waited for on the clock of the service, where it lends it and the arrivals have silences. */
  readonly movesClock: boolean;
}

export const limitScenarios: Readonly<Record<LimitScenario, ScenarioFacts>> = {
  "request-limit": { needs: ["exhaustLimits"], watchesBursts: true, crossesCap: false, movesClock: true },
  cooldown: { needs: ["exhaustLimits"], watchesBursts: true, crossesCap: false, movesClock: true },
  "spend-cap": {
    needs: ["patchSettings", "exhaustLimits", "spend"],
    watchesBursts: true,
    crossesCap: true,
    movesClock: true,
  },
};

/** A profile that may exhaust a limit and names none is about the request limit. */
export function defaultScenario(needs: readonly ProfileNeed[]): LimitScenario | null {
  return needs.includes("exhaustLimits") ? "request-limit" : null;
}
