import type { KeyChange, KeyChangeOutcome } from "../../engine/settings/settings-change.ts";
import type { Problem } from "../problem.ts";
import type { SeenCall } from "../seen-call.ts";

/** Changes the key of this id. */
export type ApplyKeyChange = (id: string, change: KeyChange) => KeyChangeOutcome;

export type SettingsAnswer =
  | { readonly status: number; readonly json: unknown }
  | { readonly status: number; readonly text: string };

/** The answer to a PATCH: the specification does not show it (reading AMB-18). */
export interface SettingsAnswers {
  readonly changed: (settings: Readonly<Record<string, unknown>>) => SettingsAnswer;
  /** The key exists, in another workspace. */
  readonly foreignKey: (notFound: Problem, body: unknown) => Problem;
  /** The part of a refused body that is carried out. */
  readonly doneAnyway: (body: unknown) => KeyChange | null;
  /** Carries out what was let through. */
  readonly carriedOut: (id: string, change: KeyChange, apply: ApplyKeyChange, call: SeenCall) => KeyChangeOutcome;
}

export const lawfulSettingsAnswers: SettingsAnswers = {
  changed: (settings) => ({ status: 200, json: settings }),
  foreignKey: (notFound) => notFound,
  doneAnyway: () => null,
  carriedOut: (id, change, apply) => apply(id, change),
};
