import type { EngineSeams } from "../../engine/engine-seams.ts";
import type { Switchboard } from "../switch.ts";
import { patchSettingsRules } from "./patch-settings-rules.ts";

export function patchEngine(switches: Switchboard): EngineSeams {
  return {
    settings: patchSettingsRules(switches),
  };
}
