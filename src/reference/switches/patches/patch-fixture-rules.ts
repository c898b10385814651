import { type FixtureRules, lawfulFixtureRules } from "../../engine/keys/fixture-rules.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

export function patchFixtureRules(switches: Switchboard): FixtureRules {
  return { plan: firstChange(switches, lawfulFixtureRules.plan, { "auth/small-plan": () => "starter" }) };
}
