import { lawfulSettingsRules, type SettingsRules } from "./settings/settings-rules.ts";

/** Seams of the engine by domain. */
export interface EngineSeams {
  readonly settings: SettingsRules;
}

export const lawfulEngineSeams: EngineSeams = {
  settings: lawfulSettingsRules,
};
