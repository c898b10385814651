import type { Case, CaseTools } from "../src/conformance/plan/case.ts";
import { cappedPurpose } from "../src/conformance/judges/faults/blocked-account.ts";
import { freshPurpose } from "../src/conformance/judges/faults/fresh-key.ts";
import type { Intent } from "../src/core/exchange/intent.ts";
import type { Manifest } from "../src/core/manifest.ts";
import type { Credential } from "../src/core/exchange/send-request.ts";
import { audioPart } from "./audio-fixtures.ts";

function chatBody(manifest: Manifest): { readonly kind: "json"; readonly value: Readonly<Record<string, unknown>> } {
  return {
    kind: "json",
    value: { model: manifest.models.chat, messages: [{ role: "user", content: "Say hello." }], max_tokens: 8 },
  };
}

/** A key that is no longer valid, beside a twin with one that is. */
function deadKeyCase(key: string, requirement: string): Case {
  return {
    id: `faults/${key}-key`,
    suite: "faults",
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
        intent: { kind: "violates", requirement, condition: "bad-credentials", twin: "twin" },
      });
    },
  };
}

/** Every endpoint that an ordinary key may use; settings would need a scope as well and so violate two conditions. */
async function callEverything(tools: CaseTools, credential: Credential, intent: Intent): Promise<void> {
  const { manifest } = tools;
  const now = tools.wallMs();
  const window = new URLSearchParams({ from: new Date(now - 3_600_000).toISOString(), to: new Date(now).toISOString() });
  const shared = { credential, intent };
  await tools.send({ ...shared, endpoint: "models", label: "models" });
  await tools.send({ ...shared, endpoint: "usage", label: "usage", path: `/v1/usage?${window.toString()}` });
  await tools.send({ ...shared, endpoint: "chat", label: "chat", body: chatBody(manifest) });
  if (manifest.features["stream"] !== false) {
    const streamed = { kind: "json", value: { ...chatBody(manifest).value, stream: true } } as const;
    await tools.send({ ...shared, endpoint: "chat", label: "chat-stream", body: streamed });
  }
  await tools.send({
    ...shared,
    endpoint: "images",
    label: "images",
    body: { kind: "json", value: { prompt: "A lighthouse" } },
  });
  if (manifest.models.embedding !== null) {
    const embed = async (label: string, input: unknown): Promise<void> => {
      const value = { model: manifest.models.embedding, input };
      await tools.send({ ...shared, endpoint: "embeddings", label, body: { kind: "json", value } });
    };
    await embed("embeddings", "hello");
    await embed("embeddings-batch", ["hello", "again"]);
  }
  if (manifest.models.transcription !== null) {
    const parts = [audioPart("wav"), { name: "model", value: manifest.models.transcription }];
    await tools.send({ ...shared, endpoint: "transcriptions", label: "transcriptions", body: { kind: "multipart", parts } });
  }
}

function blockedAccountCase(key: string, id: string, title: string, requirement: string): Case {
  return {
    id,
    suite: "faults",
    title,
    covers: [requirement, "ERR-016"],
    needs: [
      { kind: "key", name: key },
      { kind: "model", use: "chat" },
    ],
    cost: {
      requests: { models: 2, usage: 1, chat: 2, images: 1, embeddings: 2, transcriptions: 1 },
      refused: { chat: 2, images: 1, embeddings: 2, transcriptions: 1 },
      tokens: 80,
    },
    async run(tools) {
      await tools.send({ endpoint: "models", label: "twin" });
      const intent: Intent = { kind: "violates", requirement, condition: "payment-required", twin: "twin" };
      await callEverything(tools, { kind: "bearer", key }, intent);
    },
  };
}

function triggerCase(status: "500" | "502" | "503", requirement: string, covers: readonly string[]): Case {
  return {
    id: `faults/triggered-${status}`,
    suite: "faults",
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
        intent: { kind: "violates", requirement, condition: "fault-trigger", twin: "twin" },
        retry: false,
      });
    },
  };
}

const propagationMs = 60_000;
const pollMs = 5000;

const others: readonly Case[] = [
  {
    id: "faults/credit-and-cap",
    suite: "faults",
    title: "Distinguishes used-up credit from a reached cap",
    covers: ["SPEND-021", "ERR-015"],
    needs: [
      { kind: "key", name: "noCredit" },
      { kind: "key", name: "exhausted" },
      { kind: "model", use: "chat" },
    ],
    cost: { requests: { chat: 3 }, refused: { chat: 2 }, tokens: 60 },
    async run(tools) {
      const body = chatBody(tools.manifest);
      await tools.send({ endpoint: "chat", label: "twin", body });
      await tools.send({
        endpoint: "chat",
        label: "no-credit",
        credential: { kind: "bearer", key: "noCredit" },
        body,
        intent: { kind: "violates", requirement: "ERR-015", condition: "payment-required", twin: "twin" },
      });
      await tools.send({
        endpoint: "chat",
        label: "exhausted",
        credential: { kind: "bearer", key: "exhausted" },
        body,
        intent: { kind: "housekeeping", purpose: cappedPurpose, answers: [429] },
        retry: false,
      });
    },
  },
  {
    id: "faults/fresh-key",
    suite: "faults",
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
];

export const faultCases: readonly Case[] = [
  deadKeyCase("expired", "AUTH-013"),
  deadKeyCase("revoked", "AUTH-014"),
  blockedAccountCase("pastDue", "faults/past-due", "Refuses an account whose subscription is past due", "ERR-014"),
  blockedAccountCase("noCredit", "faults/no-credit", "Refuses an account whose credit is used up", "ERR-015"),
  triggerCase("500", "ERR-026", []),
  triggerCase("502", "ERR-028", []),
  triggerCase("503", "ERR-033", ["ERR-030", "ERR-031", "ERR-032"]),
  ...others,
];
