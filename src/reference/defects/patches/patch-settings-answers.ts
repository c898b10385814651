import type { KeyChange } from "../../engine/settings/settings-change.ts";
import { lawfulSettingsAnswers, type SettingsAnswers } from "../../http/endpoints/settings-answers.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

/** Gives away that an id exists. */
const message = "This key belongs to another workspace.";

export function patchSettingsAnswers(switches: Switchboard): SettingsAnswers {
  const { changed, foreignKey, doneAnyway } = lawfulSettingsAnswers;
  return {
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

/** What of a refused change could be carried out. */
function wholeNumbersOf(body: unknown): KeyChange {
  if (!(body instanceof Buffer)) return {};
  try {
    const members = Object.entries(JSON.parse(body.toString()) as Readonly<Record<string, unknown>>);
    return Object.fromEntries(members.filter(([, value]) => Number.isInteger(value)));
  } catch {
    return {};
  }
}
