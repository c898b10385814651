import { lawfulSettingsAnswers, type SettingsAnswers } from "../../http/endpoints/settings-answers.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";
import { wholeNumbersOf } from "./whole-numbers-of.ts";

/** Gives away that an id exists. */
const message = "This key belongs to another workspace.";

export function patchSettingsAnswers(switches: Switchboard): SettingsAnswers {
  const { changed, foreignKey, doneAnyway } = lawfulSettingsAnswers;
  return {
    ...lawfulSettingsAnswers,
    changed: firstChange(switches, changed, {
      "settings/patch-204": () => ({ status: 204, text: "" }),
      "settings/patch-200-empty": () => ({ status: 200, text: "" }),
      "settings/patch-200-ok": () => ({ status: 200, json: { ok: true } }),
    }),
    foreignKey: firstChange(switches, foreignKey, {
      "settings/foreign-id-403": () => ({ status: 403, code: "insufficient_scope", message }),
      "settings/foreign-id-revealed": () => ({ status: 404, code: "not_found", message }),
    }),
    doneAnyway: firstChange(switches, doneAnyway, { "settings/refused-carried-out": wholeNumbersOf }),
  };
}
