import { lawfulSettingsAnswers, type SettingsAnswers } from "../../http/endpoints/settings-answers.ts";
import type { Switchboard } from "../switch.ts";
import { ordinaryKey } from "../../engine/keys/key-record.ts";
import { invalidField } from "../../http/problem.ts";
import { firstChange } from "./first-change.ts";
import { wholeNumbersOf } from "./whole-numbers-of.ts";

/** Gives away that an id exists. */
const message = "This key belongs to another workspace.";

export function patchSettingsAnswers(switches: Switchboard): SettingsAnswers {
  const { changed, foreignKey, doneAnyway, carriedOut } = lawfulSettingsAnswers;
  /** The key that was changed last, for the defect `settings/last-key-alone`. */
  let latest: string | null = null;
  return {
    ...lawfulSettingsAnswers,
    changed: firstChange(switches, changed, {
      "settings/patch-204": () => ({ status: 204, text: "" }),
      "settings/patch-200-empty": () => ({ status: 200, text: "" }),
      "settings/patch-200-ok": () => ({ status: 200, json: { ok: true } }),
    }),
    foreignKey: firstChange(switches, foreignKey, {
      "settings/foreign-id-403": () => ({ status: 403, code: "insufficient_scope", message }),
      "settings/foreign-validated-first": (notFound, body) =>
        /"burst_limit":"/.test(String(body)) ? invalidField("burst_limit", "a whole number") : notFound,
      "settings/foreign-id-revealed": () => ({ status: 404, code: "not_found", message }),
    }),
    carriedOut: firstChange(switches, carriedOut, {
      "settings/last-key-alone": (id, change, apply, call) => {
        if (latest !== null && latest !== id) apply(latest, ordinaryKey.settings);
        latest = id;
        return carriedOut(id, change, apply, call);
      },
    }),
    doneAnyway: firstChange(switches, doneAnyway, { "settings/refused-carried-out": wholeNumbersOf }),
  };
}
