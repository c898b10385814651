import type { Case, CaseRequest, CaseTools, Need } from "../src/conformance/plan/case.ts";
import { anonymousPurpose } from "../src/conformance/judges/scopes/path-access.ts";
import { readingPurpose, scopedPurpose, unscopedPurpose } from "../src/conformance/judges/scopes/scope-refusals.ts";
import { isOperationDeclared } from "../src/core/is-operation-declared.ts";
import type { Credential } from "../src/core/exchange/send-request.ts";
import { type CaseDraft, casesOf } from "./cases-of.ts";
import { uselessBody } from "./credentials/credential-states.ts";
import {
  accountChange,
  accountSettingsNeeds,
  keyChange,
  keySettingsNeeds,
  lawfulAccountSettings,
  lawfulKeySettings,
  settingsKey,
  settingsResource,
} from "./requests/settings-target.ts";
import { question, violates } from "./requests/intents.ts";
import { chatRequest } from "./requests/chat-request.ts";
import { lastHour } from "./requests/core-requests.ts";

const readOnly: Credential = { kind: "bearer", key: "readOnly" };
const readOnlyNeed: Need = { kind: "key", name: "readOnly" };

/** A lawful change by the key that may make it, then the same by one that may not. Should it be allowed to, the declared values are put back. */
async function changeTwice(tools: CaseTools, change: CaseRequest, requirement: string): Promise<void> {
  await tools.send(change);
  await tools.send({ ...change, label: "read-only", credential: readOnly, intent: violates(requirement, "missing-scope") });
}

function agentsCase(key: string, requirement: string): CaseDraft {
  return {
    id: `scopes/agents-with-${key === "admin" ? "admin" : "agent-write"}`,
    title: `Lets the key ${key} use the agents endpoint`,
    covers: [requirement],
    needs: [{ kind: "key", name: key }],
    cost: { requests: { agents: 1 }, tokens: 0 },
    async run(tools) {
      await tools.send({
        endpoint: "agents",
        label: key,
        credential: { kind: "bearer", key },
        body: uselessBody,
        intent: { kind: "housekeeping", purpose: scopedPurpose, answers: ["2xx", "4xx"] },
      });
    },
  };
}

const keyCases: readonly Case[] = casesOf({ suite: "scopes", needs: [readOnlyNeed] }, [
  {
    id: "scopes/read-only-key-settings",
    title: "Refuses a read-only key that changes key settings",
    covers: ["KEY-023", "AUTH-015", "AUTH-016", "ERR-017"],
    needs: [readOnlyNeed, ...keySettingsNeeds],
    cost: { requests: { "key-settings": 3 }, tokens: 0 },
    resource: settingsResource,
    run: (tools) =>
      tools.restoring({ kind: "key", key: settingsKey }, () =>
        changeTwice(tools, keyChange(tools.manifest, "twin", lawfulKeySettings(tools.manifest)), "KEY-023"),
      ),
  },
  {
    id: "scopes/read-only-account",
    title: "Refuses a read-only key that changes the account",
    covers: ["ACC-007", "AUTH-015", "AUTH-016", "ERR-017"],
    needs: [readOnlyNeed, ...accountSettingsNeeds],
    cost: { requests: { "account-settings": 3 }, tokens: 0 },
    resource: settingsResource,
    run: (tools) =>
      tools.restoring({ kind: "account" }, () =>
        changeTwice(tools, accountChange("twin", lawfulAccountSettings(tools.manifest)), "ACC-007"),
      ),
  },
  {
    id: "scopes/read-only-agents",
    title: "Refuses a read-only key on the agents endpoint",
    covers: ["PATH-001", "AUTH-015", "AUTH-016", "ERR-017"],
    cost: { requests: { agents: 1 }, tokens: 0 },
    async run(tools) {
      await tools.send({
        endpoint: "agents",
        label: "read-only",
        credential: readOnly,
        body: uselessBody,
        intent: { kind: "housekeeping", purpose: unscopedPurpose, answers: ["4xx"] },
      });
    },
  },
  {
    id: "scopes/read-only-reads",
    title: "Lets a read-only key read, and records what else it may do",
    covers: ["AUTH-034", "AUTH-035", "USG-039"],
    needs: [readOnlyNeed, { kind: "model", use: "chat" }],
    needsOfRows: { "USG-039": [{ kind: "feature", name: "usage" }] },
    cost: { requests: { models: 1, usage: 1, chat: 1 }, tokens: 30 },
    async run(tools) {
      await tools.send({
        endpoint: "models",
        label: "models",
        credential: readOnly,
        intent: { kind: "housekeeping", purpose: readingPurpose, answers: ["2xx"] },
      });
      if (isOperationDeclared("usage", tools.manifest)) {
        await tools.send({
          endpoint: "usage",
          label: "usage",
          path: lastHour(tools.wallMs()),
          credential: readOnly,
          intent: question("USG-039", "usage with a read-only key"),
        });
      }
      const asked = question("AUTH-035", "chat with a read-only key");
      await tools.send({ ...chatRequest(tools.manifest, "chat", { max_tokens: 8 }, asked), credential: readOnly });
    },
  },
  agentsCase("agentWrite", "PATH-003"),
  agentsCase("admin", "PATH-004"),
]);

/** Rows of the suite core: an ordinary key, or none, is enough. */
const pathCases: readonly Case[] = casesOf({ suite: "core" }, [
  {
    id: "core/named-paths-without-credentials",
    title: "Lets nobody use the paths that are only named without credentials",
    covers: ["PATH-005", "PATH-007", "PATH-008"],
    cost: { requests: { workspaces: 1, agents: 1, verify: 1 }, tokens: 0 },
    async run(tools) {
      const intent = { kind: "housekeeping", purpose: anonymousPurpose, answers: [401, 404, 405, 501] } as const;
      const credential: Credential = { kind: "none" };
      await tools.send({ endpoint: "workspaces", label: "workspaces", credential, intent });
      await tools.send({ endpoint: "agents", label: "agents", credential, intent, body: uselessBody });
      await tools.send({ endpoint: "verify", label: "verify", credential, intent });
    },
  },
  {
    id: "core/verify",
    title: "Records what the verify path answers to a valid key",
    covers: ["PATH-006"],
    cost: { requests: { verify: 1 }, tokens: 0 },
    async run(tools) {
      await tools.send({
        endpoint: "verify",
        label: "verify",
        intent: question("PATH-006", "GET /v1/verify with a valid key"),
      });
    },
  },
]);

export const scopeCases: readonly Case[] = [...keyCases, ...pathCases];
