import type { Case } from "../src/conformance/plan/case.ts";
import { atOnceCases } from "./at-once.ts";
import { audioCases } from "./audio.ts";
import { chatCases } from "./chat.ts";
import { conventionCases } from "./convention.ts";
import { coreCases } from "./core.ts";
import { credentialCrossingCases } from "./credential-crossing.ts";
import { crossingCases } from "./crossing.ts";
import { elementCases } from "./element-rules.ts";
import { embeddingCases } from "./embeddings.ts";
import { faultCases } from "./faults.ts";
import { imageCases } from "./images.ts";
import { limitCases } from "./limits.ts";
import { modelCases } from "./models.ts";
import { refusalsAtOnceCases } from "./refusals-at-once.ts";
import { scopeCases } from "./scopes.ts";
import { accountEffectCases } from "./settings-account-effect.ts";
import { settingsEffectCases } from "./settings-effect.ts";
import { settingsCases } from "./settings.ts";
import { spendCases } from "./spend.ts";
import { streamCases } from "./stream.ts";
import { usageCostCases } from "./usage-costs.ts";
import { usageRefusedCases } from "./usage-refused.ts";
import { usageReconciliationCases } from "./usage-reconciliation.ts";
import { usageCases } from "./usage.ts";

/** Every conformance case, suite by suite. */
export const allCases: readonly Case[] = [
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
  ...elementCases,
  ...credentialCrossingCases,
  ...atOnceCases,
  ...refusalsAtOnceCases,
];
