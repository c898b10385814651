import type { Case } from "../src/conformance/plan/case.ts";
import { atOnceCases } from "./at-once/at-once.ts";
import { audioCases } from "./audio.ts";
import { chatCases } from "./chat.ts";
import { conventionCases } from "./convention.ts";
import { coreCases } from "./core.ts";
import { credentialCrossingCases } from "./credentials/credential-crossing.ts";
import { crossingCases } from "./credentials/crossing.ts";
import { keysInTurnCases } from "./credentials/keys-in-turn.ts";
import { elementCases } from "./element-rules.ts";
import { embeddingCases } from "./embeddings.ts";
import { faultCases } from "./faults.ts";
import { generatedCases } from "./generated/generated-cases.ts";
import { imageCases } from "./images.ts";
import { limitCases } from "./limits/limits.ts";
import { modelCases } from "./models.ts";
import { recordingsAtOnceCases } from "./at-once/recordings-at-once.ts";
import { refusalsAtOnceCases } from "./at-once/refusals-at-once.ts";
import { scopeCases } from "./scopes.ts";
import { accountEffectCases } from "./settings/account-effect.ts";
import { settingsEffectCases } from "./settings/settings-effect.ts";
import { settingsCases } from "./settings/settings.ts";
import { spendCases } from "./spend.ts";
import { streamCases } from "./stream.ts";
import { streamSlotCases } from "./stream-slots.ts";
import { usageCostCases } from "./usage/usage-costs.ts";
import { usageRefusedCases } from "./usage/usage-refused.ts";
import { usageReconciliationCases } from "./usage/usage-reconciliation.ts";
import { usageCases } from "./usage/usage.ts";

/** Every conformance case, suite by suite. */
export const allCases: readonly Case[] = casesWith(generatedCases(2));

/** The same cases, whose generated requests hold each three options together. */
export function thoroughCases(): readonly Case[] {
  return casesWith(generatedCases(3));
}

function casesWith(generated: readonly Case[]): readonly Case[] {
  return [
    ...coreCases,
    ...chatCases,
    ...streamCases,
    ...embeddingCases,
    ...imageCases,
    ...audioCases,
    ...modelCases,
    ...usageCases,
    ...usageReconciliationCases,
    ...usageRefusedCases,
    ...usageCostCases,
    ...settingsCases,
    ...settingsEffectCases,
    ...accountEffectCases,
    ...limitCases,
    ...spendCases,
    ...scopeCases,
    ...faultCases,
    ...conventionCases,
    ...crossingCases,
    ...generated,
    ...elementCases,
    ...credentialCrossingCases,
    ...keysInTurnCases,
    ...atOnceCases,
    ...refusalsAtOnceCases,
    ...recordingsAtOnceCases,
    ...streamSlotCases,
  ];
}
