import type { Judge } from "../../judging/judge.ts";
import { accountEffect } from "./account-effect.ts";
import { notFoundAnswers } from "./not-found-answers.ts";
import { accountSettingsAcceptance, keySettingsAcceptance } from "./settings-acceptance.ts";
import { settingsAnswer } from "./settings-answer.ts";
import { settingsEffect } from "./settings-effect.ts";

export const settingsJudges: readonly Judge[] = [
  keySettingsAcceptance,
  accountSettingsAcceptance,
  settingsAnswer,
  settingsEffect,
  accountEffect,
  notFoundAnswers,
];
