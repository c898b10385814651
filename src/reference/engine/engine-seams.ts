import { lawfulAdmissionRules, type AdmissionRules } from "./admission/admission-rules.ts";
import { lawfulBurstRules, type BurstRules } from "./burst/burst-rules.ts";
import { lawfulQueueRules, type QueueRules } from "./burst/queue-rules.ts";
import { type FixtureRules, lawfulFixtureRules } from "./keys/fixture-rules.ts";
import { lawfulHeaderRules, type HeaderRules } from "./limiter/header-rules.ts";
import { lawfulLimiterRules, type LimiterRules } from "./limiter/limiter-rules.ts";
import { lawfulRefusalRules, type RefusalRules } from "./refusal-rules.ts";
import { lawfulSettingsRules, type SettingsRules } from "./settings/settings-rules.ts";
import { lawfulSpendRules, type SpendRules } from "./spend/spend-rules.ts";
import { lawfulTokenRules, type TokenRules } from "./token-rules.ts";
import { lawfulUsageRules, type UsageRules } from "./usage/usage-rules.ts";

/** Seams of the engine by domain. */
export interface EngineSeams {
  readonly admission: AdmissionRules;
  readonly burst: BurstRules;
  readonly queue: QueueRules;
  readonly fixtures: FixtureRules;
  readonly limiter: LimiterRules;
  readonly headers: HeaderRules;
  readonly tokens: TokenRules;
  readonly spend: SpendRules;
  readonly refusal: RefusalRules;
  readonly usage: UsageRules;
  readonly settings: SettingsRules;
}

export const lawfulEngineSeams: EngineSeams = {
  admission: lawfulAdmissionRules,
  burst: lawfulBurstRules,
  queue: lawfulQueueRules,
  fixtures: lawfulFixtureRules,
  limiter: lawfulLimiterRules,
  headers: lawfulHeaderRules,
  tokens: lawfulTokenRules,
  spend: lawfulSpendRules,
  refusal: lawfulRefusalRules,
  usage: lawfulUsageRules,
  settings: lawfulSettingsRules,
};
