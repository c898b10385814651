import { isOperationDeclared } from "../../src/core/is-operation-declared.ts";
import type { Case, CaseRequest, CaseTools } from "../../src/conformance/plan/case.ts";
import { coarsestUnit, costUnitOf } from "../../src/conformance/judges/usage/cost-unit.ts";
import { growthOfKind, usageLabels } from "../../src/conformance/judges/usage/usage-interval.ts";
import type { UsageReport } from "../../src/conformance/judges/usage/usage-report.ts";
import type { StatedAnswer } from "../../src/core/exchange/intent.ts";
import { casesOf } from "../cases-of.ts";
import { audioPart } from "../requests/audio-fixtures.ts";
import {
  around,
  askTime,
  chat,
  chatAbout,
  chatNeed,
  hoursAround,
  lateBillMs,
  report,
  untilNothingIsLate,
  untilStill,
  usageResource,
} from "../requests/usage-tools.ts";
import { jsonRequest } from "../requests/json-request.ts";
import { leftStream, leftStreamTokens } from "../requests/left-stream.ts";
import { usageLateAtMost } from "./usage-late-at-most.ts";

/** Requests that could be billed, each of which has to be refused: for its body, its model, its key, its account or its cap. */
function* refusedRequests({ manifest }: CaseTools): Iterable<CaseRequest> {
  const refused = (how: string, answers: readonly StatedAnswer[], field?: string): Pick<CaseRequest, "intent"> => ({
    intent: {
      kind: "housekeeping",
      purpose: `be refused without a bill (${how})`,
      answers,
      ...(field !== undefined && { field }),
    },
  });
  const { chat: model, embedding, transcription } = manifest.models;
  const messages = [{ role: "user", content: "Name one colour." }];
  const whole = {
    chat: { model, messages, max_tokens: 12 },
    embeddings: { model: embedding, input: "One colour." },
    images: { prompt: "A red circle" },
  } as const;
  const wrong = [
    ["missing", "chat", { model }, "messages", 422],
    ["out-of-range", "chat", { ...whole.chat, temperature: 9 }, "temperature", 422],
    ["streamed", "chat", { ...whole.chat, temperature: 9, stream: true }, "temperature", 422],
    // A service may fall back to another model (AMB-06).
    ["unknown-model", "chat", { ...whole.chat, model: "assay-no-such-model" }, "model", "2xx", "4xx"],
    ["batch", "embeddings", { model: embedding, input: ["One colour."], encoding_format: "hex" }, "encoding_format", 422],
    ["unknown-vectors", "embeddings", { ...whole.embeddings, model: "assay-no-such-model" }, "model", "2xx", "4xx"],
    ["image", "images", { ...whole.images, size: "3x3" }, "size", 422],
  ] as const;
  const offered = wrong.filter(([, kind]) => isOperationDeclared(kind, manifest));
  for (const [label, kind, value, field, ...answers] of offered) {
    yield { ...jsonRequest(kind, label, value), ...refused(label, answers, field) };
  }
  const form = [{ name: "model", value: transcription ?? "any" }];
  if (transcription !== null) {
    const body = { kind: "multipart", parts: form } as const;
    yield { endpoint: "transcriptions", label: "upload", body, ...refused("upload", [422], "file") };
  }
  // Requests of such a key may be entered for its account all the same.
  for (const [key, status] of refusedKeys) {
    if (manifest.keys[key] === undefined) continue;
    const refusal = refused(key, [status]);
    for (const kind of ["chat", "embeddings", "images"] as const) {
      if (!isOperationDeclared(kind, manifest) || (kind === "embeddings" && embedding === null)) continue;
      yield { ...jsonRequest(kind, `${key}-${kind}`, whole[kind]), credential: { kind: "bearer", key }, ...refusal };
    }
    if (transcription === null) continue;
    yield {
      endpoint: "transcriptions",
      label: `${key}-transcriptions`,
      credential: { kind: "bearer", key },
      body: { kind: "multipart", parts: [audioPart("wav"), ...form] },
      ...refusal,
    };
  }
}

/** Keys that are refused everywhere. The usage of an account that has to pay is out of sight, but for what is entered elsewhere. */
const refusedKeys = [
  ["expired", 401],
  ["revoked", 401],
  ["exhausted", 429],
  ["pastDue", 402],
  ["noCredit", 402],
] as const;

function isPriced({ manifest }: CaseTools): boolean {
  return manifest.declaredPrices?.includes("perMillionPromptTokens") === true;
}

/** Whether the cost grew, which may follow the tokens. It is not awaited where there is none to see, or cents hide it. */
function showsCost(before: UsageReport, after: UsageReport): boolean {
  const [then, now] = [before.totalCostUsd, after.totalCostUsd];
  if (then === null || now === null || now > then) return true;
  return then > 0 && costUnitOf([before, after]) === coarsestUnit;
}

const colours = ["One colour.", "Another colour.", "A third colour."];

const common = { suite: "usage", needs: [chatNeed], resource: usageResource, alone: true } as const;

export const usageReconciliationCases: readonly Case[] = casesOf(common, [
  {
    id: "usage/reconciles",
    title: "Reports the tokens that its answers reported, in the bucket of their time",
    covers: ["USG-032", "USG-036", "USG-040", "USG-046", "USG-047"],
    needsOfRows: { "USG-047": [{ kind: "price", name: "perMillionPromptTokens" }] },
    cost: { requests: { models: 1, usage: 8, chat: 2, embeddings: 1 }, tokens: 120 },
    run: (tools) =>
      around(
        tools,
        async () => {
          const { embedding } = tools.manifest.models;
          const sent = [await chat(tools, "chat-1"), await chat(tools, "chat-2")];
          if (embedding === null) return sent;
          return [...sent, await tools.send(jsonRequest("embeddings", "batch", { model: embedding, input: colours }))];
        },
        (before, after) => !isPriced(tools) || showsCost(before, after),
      ),
  },
  {
    id: "usage/covers-the-account",
    title: "Reports what another key of the account used",
    covers: ["USG-033"],
    needs: [chatNeed, { kind: "key", name: "secondary" }],
    cost: { requests: { models: 1, usage: 8, chat: 1 }, tokens: 40 },
    run: (tools) => around(tools, async () => [await chat(tools, "other-key", { key: "secondary" })]),
  },
  {
    id: "usage/at-once",
    title: "Counts every one of several answers given at the same time",
    covers: ["USG-032"],
    cost: { requests: { models: 1, usage: 8, chat: 12, embeddings: 6 }, tokens: 700 },
    run: (tools) =>
      around(tools, async () => {
        const { embedding } = tools.manifest.models;
        const batches = Array.from({ length: embedding === null ? 0 : 6 }, (_, round) =>
          jsonRequest("embeddings", `batch-${round}`, { model: embedding, input: colours }),
        );
        const chats = Array.from({ length: 12 }, (_, round) => chatAbout(tools, `chat-${round}`));
        return tools.sendAtOnce([...chats, ...batches]);
      }),
  },
  {
    id: "usage/counts-streams",
    title: "Reports streamed answers as well",
    covers: ["USG-041"],
    cost: { requests: { models: 1, usage: 8, chat: 1 }, tokens: 40 },
    run: (tools) =>
      around(
        tools,
        async () => [await chat(tools, "stream", { stream: true })],
        (before, after) =>
          growthOfKind(before, after, "promptTokens") !== 0 && growthOfKind(before, after, "completionTokens") !== 0,
      ),
  },
  {
    id: "usage/counts-streams-left",
    title: "Reports streams that their clients left, as far as they were delivered",
    covers: ["USG-041"],
    needs: [chatNeed, { kind: "feature", name: "stream" }],
    cost: { requests: { models: 1, usage: 8, chat: 1 }, tokens: leftStreamTokens },
    run: (tools) => around(tools, async () => [await tools.send(leftStream(tools.manifest, "left"))]),
  },
  {
    id: "usage/refused-requests",
    title: "Adds nothing to the usage for a refused request",
    covers: ["USG-042"],
    needs: [chatNeed, { kind: "exclusive" }],
    cost: {
      requests: { models: 1, usage: 8, chat: 9, embeddings: 7, images: 6, transcriptions: 6 },
      tokens: 0,
      waitSeconds: usageLateAtMost,
      images: 6,
      audioSeconds: 5,
    },
    async run(tools) {
      const window = hoursAround(await askTime(tools), 1);
      await untilStill(tools, window);
      await report(tools, usageLabels.before, window);
      for (const request of refusedRequests(tools)) await tools.send({ ...request, retry: false });
      // As long as usage took to show elsewhere at most: what is billed late must not be missed.
      await untilNothingIsLate(tools, lateBillMs);
      await report(tools, usageLabels.after.label(1), window);
    },
  },
]);
