import { createAcceptanceJudge } from "../../judging/acceptance-judge.ts";
import type { RunJudge } from "../../judging/judge.ts";
import type { JsonObject } from "../../judging/json-value.ts";

/** The request has this member and no other. */
function hasOnly(member: string): (body: JsonObject) => boolean {
  return (body) => Object.keys(body).length === 1 && member in body;
}

/** Label of a change that has been made already. */
export const repetitionLabel = "repetition";

/** Settings of a key can be changed one by one, together and again. */
export const keySettingsAcceptance: RunJudge = createAcceptanceJudge({
  id: "key-settings-acceptance",
  endpoint: "key-settings",
  capability: "SVC-009",
  rows: [
    { requirement: "KEY-001", what: "monthly_spend_cap alone", when: hasOnly("monthly_spend_cap") },
    { requirement: "KEY-002", what: "burst_limit alone", when: hasOnly("burst_limit") },
    { requirement: "KEY-003", what: "cooldown_seconds alone", when: hasOnly("cooldown_seconds") },
    {
      requirement: "KEY-004",
      what: "a combination of members",
      when: (body) => Object.keys(body).length > 1,
    },
    { requirement: "KEY-025", what: "the same change once more", when: (_body, { label }) => label === repetitionLabel },
  ],
});

/** The ceiling of the account can be changed. */
export const accountSettingsAcceptance: RunJudge = createAcceptanceJudge({
  id: "account-settings-acceptance",
  endpoint: "account-settings",
  capability: "SVC-009",
  rows: [{ requirement: "ACC-001", what: "account_spend_cap", when: hasOnly("account_spend_cap") }],
});
