import type { Switch } from "../switch.ts";
import { mutant, variant } from "./switch-builders.ts";

const answer = "What a PATCH answers is not shown (AMB-18).";

/** Switches of settings and usage that show in what the routes read and write, not in what the engine does. */
export const settingsSurfaceSwitches: readonly Switch[] = [
  variant("settings/patch-204", "A PATCH is answered 204 without a body", answer, {
    changes: ["SVC-020", "KEY-020", "ACC-009"],
    excludes: ["settings/patch-200-empty", "settings/patch-200-ok"],
  }),
  variant("settings/patch-200-empty", "A PATCH is answered 200 without a body", answer, {
    changes: ["KEY-020", "ACC-009"],
    excludes: ["settings/patch-200-ok"],
  }),
  variant("settings/patch-200-ok", "A PATCH is answered with { ok: true }", answer, { changes: ["KEY-020", "ACC-009"] }),
  mutant("usage/granularity-unchecked", "Unknown granularities become day", ["USG-012"], { mayAlsoFail: ["ERR-022", "ERR-024"] }),
  mutant("usage/dates-unchecked", "Absent and unreadable instants become the last day", ["USG-002", "USG-003", "USG-007"], {
    mayAlsoFail: ["ERR-006", "ERR-021", "ERR-022", "ERR-024"],
  }),
];
