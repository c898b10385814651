import { refusedCapCents } from "../../src/conformance/judges/settings/account-effect.ts";
import { effectLabels, effectSeries, type RefusedHow } from "../../src/conformance/judges/settings/effect-labels.ts";
import { readUsageReport } from "../../src/conformance/judges/usage/usage-report.ts";
import type { Case, CaseRequest, CaseTools } from "../../src/conformance/plan/case.ts";
import type { StatedAnswer } from "../../src/core/exchange/intent.ts";
import { chatRequest, shortChatTokens } from "../requests/chat-request.ts";
import { isOperationDeclared } from "../../src/core/is-operation-declared.ts";
import { patchAccount } from "./settings-case.ts";
import { accountChange, accountSettingsNeeds, lawfulAccountSettings, settingsResource } from "../requests/settings-target.ts";
import { hoursAround, report } from "../requests/usage-tools.ts";
import { question } from "../requests/intents.ts";
import { jsonRequest } from "../requests/json-request.ts";

/** Changes that have to be refused, one respect each: a ceiling that the account has long reached. */
async function sendRefused(tools: CaseTools): Promise<void> {
  const low = { account_spend_cap: refusedCapCents };
  const send = async (
    how: RefusedHow,
    answers: readonly StatedAnswer[],
    request: Partial<CaseRequest>,
  ): Promise<number | null> => {
    const purpose = `change the account in a way that is refused (${how})`;
    const change = accountChange(effectSeries.refused.label(how), low, { kind: "housekeeping", purpose, answers });
    return (await tools.send({ ...change, retry: false, ...request })).status;
  };
  // A wrong type may be converted (AMB-05), and is undone where it is.
  const text = { kind: "json", value: { account_spend_cap: String(refusedCapCents) } } as const;
  const status = await send("type", ["2xx", "4xx"], { body: text });
  if (status !== null && status < 300) await patchAccount(tools, "put-back", lawfulAccountSettings(tools.manifest));
  const bytes = JSON.stringify(low).slice(0, -1);
  await send("malformed", [422], { body: { kind: "raw", bytes, contentType: "application/json" } });
  await send("no-key", [401], { credential: { kind: "none" } });
  await send("bad-key", [401], { credential: { kind: "distorted", key: "admin", how: "last-character-changed" } });
  if (tools.manifest.keys["readOnly"] === undefined) return;
  await send("scope", [403], { credential: { kind: "bearer", key: "readOnly" } });
}

/** The recent spend of the account, in cents; more than the ceiling that refused changes ask for, if need be by one image. */
async function spend(tools: CaseTools): Promise<void> {
  if (!isOperationDeclared("usage", tools.manifest)) return;
  const window = hoursAround(tools.wallMs(), 2);
  const spentCents = 100 * (readUsageReport(await report(tools, effectLabels.spent, window))?.totalCostUsd ?? 0);
  if (spentCents > refusedCapCents || !isOperationDeclared("images", tools.manifest)) return;
  await tools.send(jsonRequest("images", "image", { prompt: "A red circle" }));
  await tools.sleep(2000);
  await report(tools, effectLabels.spentThen, window);
}

export const accountEffectCases: readonly Case[] = [
  {
    id: "settings/refused-account-changes",
    suite: "settings",
    title: "Carries out no change of the account that it refuses",
    covers: ["ACC-013", "ACC-003"],
    // Should one be carried out, all keys of the account are refused until the declared ceiling is put back.
    needs: [...accountSettingsNeeds, { kind: "model", use: "chat" }, { kind: "exclusive" }],
    cost: {
      requests: { "account-settings": 9, usage: 2, images: 1, chat: 2 },
      tokens: 2 * shortChatTokens,
      images: 1,
      // Before the refused changes and after them.
      waitSeconds: 2,
    },
    resource: settingsResource,
    alone: true,
    run: (tools) =>
      tools.restoring({ kind: "account" }, async () => {
        const settle = async (): Promise<void> => tools.sleep(Math.min(tools.manifest.propagationSeconds, 1) * 1000);
        await spend(tools);
        await patchAccount(tools, effectLabels.twin, lawfulAccountSettings(tools.manifest));
        await settle();
        await sendRefused(tools);
        await settle();
        for (const attempt of [1, 2]) {
          const purpose = "use a key after refused changes of its account";
          const intent = { kind: "housekeeping", purpose, answers: ["2xx"] } as const;
          await tools.send({ ...chatRequest(tools.manifest, effectSeries.after.label(attempt), {}, intent), retry: false });
        }
        // An empty change may show the settings as they are (AMB-18, AMB-19).
        await patchAccount(
          tools,
          effectLabels.readBack,
          {},
          question("ACC-003", "the settings of the account after refused changes"),
        );
      }),
  },
];
