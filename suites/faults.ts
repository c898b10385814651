import type { Case, CaseRequest, CaseTools } from "../src/conformance/plan/case.ts";
import { cappedPurpose } from "../src/conformance/judges/faults/blocked-account.ts";
import { isOperationDeclared } from "../src/core/is-operation-declared.ts";
import { freshPurpose } from "../src/conformance/judges/faults/fresh-key.ts";
import type { Intent } from "../src/core/exchange/intent.ts";
import type { Credential } from "../src/core/exchange/send-request.ts";
import { audioPart } from "./requests/audio-fixtures.ts";
import { type CaseDraft, casesOf } from "./cases-of.ts";
import { chatRequest } from "./requests/chat-request.ts";
import { lastHour } from "./requests/core-requests.ts";
import { violates } from "./requests/intents.ts";
import { jsonRequest } from "./requests/json-request.ts";

const short = { max_tokens: 8 };

/** A key that is no longer valid, beside a twin with one that is. */
function deadKeyCase(key: string, requirement: string): CaseDraft {
  return {
    id: `faults/${key}-key`,
    title: `Refuses a key that is ${key}`,
    covers: [requirement],
    needs: [{ kind: "key", name: key }],
    cost: { requests: { models: 2 }, tokens: 0 },
    async run(tools) {
      await tools.send({ endpoint: "models", label: "twin" });
      await tools.send({
        endpoint: "models",
        label: key,
        credential: { kind: "bearer", key },
        intent: violates(requirement, "bad-credentials"),
      });
    },
  };
}

/** Every endpoint that an ordinary key may use; settings would need a scope as well and so violate two conditions. */
async function callEverything(tools: CaseTools, credential: Credential, intent: Intent): Promise<void> {
  const { manifest } = tools;
  const { embedding: model, transcription } = manifest.models;
  const requests: CaseRequest[] = [{ endpoint: "models", label: "models" }];
  if (isOperationDeclared("usage", manifest))
    requests.push({ endpoint: "usage", label: "usage", path: lastHour(tools.wallMs()) });
  requests.push(chatRequest(manifest, "chat", short));
  if (manifest.features["stream"] !== false) requests.push(chatRequest(manifest, "chat-stream", { ...short, stream: true }));
  if (isOperationDeclared("images", manifest)) requests.push(jsonRequest("images", "images", { prompt: "A lighthouse" }));
  if (model !== null) {
    requests.push(jsonRequest("embeddings", "embeddings", { model, input: "hello" }));
    requests.push(jsonRequest("embeddings", "embeddings-batch", { model, input: ["hello", "again"] }));
  }
  if (transcription !== null) {
    const parts = [audioPart("wav"), { name: "model", value: transcription }];
    requests.push({ endpoint: "transcriptions", label: "transcriptions", body: { kind: "multipart", parts } });
  }
  for (const request of requests) await tools.send({ ...request, credential, intent });
}

function blockedAccountCase(key: string, id: string, title: string, requirement: string): CaseDraft {
  return {
    id,
    title,
    covers: [requirement, "ERR-016"],
    needs: [
      { kind: "key", name: key },
      { kind: "model", use: "chat" },
    ],
    cost: {
      requests: { models: 2, usage: 1, chat: 2, images: 1, embeddings: 2, transcriptions: 1 },
      tokens: 80,
    },
    async run(tools) {
      await tools.send({ endpoint: "models", label: "twin" });
      await callEverything(tools, { kind: "bearer", key }, violates(requirement, "payment-required"));
    },
  };
}

function triggerCase(status: "500" | "502" | "503", requirement: string, covers: readonly string[]): CaseDraft {
  return {
    id: `faults/triggered-${status}`,
    title: `Describes a ${status} as every error`,
    covers: [requirement, ...covers],
    needs: [
      { kind: "fault", status },
      { kind: "permission", name: "faultTriggers" },
    ],
    cost: { requests: { models: 2 }, tokens: 0 },
    async run(tools) {
      const trigger = tools.manifest.faults[status];
      await tools.send({ endpoint: "models", label: "twin" });
      await tools.send({
        endpoint: "models",
        label: `fault-${status}`,
        headers: trigger?.headers ?? {},
        ...(trigger?.path == null ? {} : { path: trigger.path }),
        intent: violates(requirement, "fault-trigger"),
        retry: false,
      });
    },
  };
}

const propagationMs = 60_000;
const pollMs = 5000;

export const faultCases: readonly Case[] = casesOf({ suite: "faults" }, [
  deadKeyCase("expired", "AUTH-013"),
  deadKeyCase("revoked", "AUTH-014"),
  blockedAccountCase("pastDue", "faults/past-due", "Refuses an account whose subscription is past due", "ERR-014"),
  blockedAccountCase("noCredit", "faults/no-credit", "Refuses an account whose credit is used up", "ERR-015"),
  triggerCase("500", "ERR-026", []),
  triggerCase("502", "ERR-028", []),
  triggerCase("503", "ERR-033", ["ERR-030", "ERR-031", "ERR-032"]),
  {
    id: "faults/credit-and-cap",
    title: "Distinguishes used-up credit from a reached cap",
    covers: ["SPEND-021", "ERR-015"],
    needs: [
      { kind: "key", name: "noCredit" },
      { kind: "key", name: "exhausted" },
      { kind: "model", use: "chat" },
    ],
    cost: { requests: { chat: 3 }, tokens: 60 },
    async run(tools) {
      const chat = (label: string, intent?: Intent): CaseRequest => chatRequest(tools.manifest, label, short, intent);
      const unpaid = violates("ERR-015", "payment-required");
      const capped: Intent = { kind: "housekeeping", purpose: cappedPurpose, answers: [429] };
      await tools.send(chat("twin"));
      await tools.send({ ...chat("no-credit", unpaid), credential: { kind: "bearer", key: "noCredit" } });
      await tools.send({ ...chat("exhausted", capped), credential: { kind: "bearer", key: "exhausted" }, retry: false });
    },
  },
  {
    id: "faults/fresh-key",
    title: "Accepts a new key once a minute has passed",
    covers: ["AUTH-023", "AUTH-024"],
    needs: [{ kind: "key", name: "fresh" }],
    // The minute that a new key may take, and the margin after it.
    cost: { requests: { models: 4 }, tokens: 0, waitSeconds: 65 },
    async run(tools) {
      const createdAtMs = tools.manifest.keys["fresh"]?.createdAtMs ?? null;
      // Without the time of creation no answer could be judged, so a minute would be wasted.
      if (createdAtMs === null) return;
      const poll = async (label: string): Promise<boolean> => {
        const exchange = await tools.send({
          endpoint: "models",
          label,
          credential: { kind: "bearer", key: "fresh" },
          intent: { kind: "housekeeping", purpose: freshPurpose, answers: ["2xx", 401] },
        });
        return exchange.status !== 401;
      };
      const accepted = await poll("at-once");
      const restMs = createdAtMs + propagationMs - tools.wallMs();
      if (accepted && restMs > 0) return;
      if (restMs > 0) await tools.sleep(restMs);
      for (let round = 1; round <= 3; round += 1) {
        // Margins for clocks that show whole seconds and for ones that differ a little.
        await tools.sleep(pollMs);
        if (await poll(`after-a-minute-${round}`)) return;
      }
    },
  },
]);
