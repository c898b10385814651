import { atOnceLabels } from "../../src/conformance/judges/concurrency/at-once.ts";
import {
  copies,
  type RefusalKind,
  refusalLabels,
  validChats,
  validEmbeddings,
} from "../../src/conformance/judges/concurrency/refusals-at-once.ts";
import { isOperationDeclared } from "../../src/core/is-operation-declared.ts";
import type { Case, CaseRequest, CaseTools } from "../../src/conformance/plan/case.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import type { Intent, ViolatedCondition } from "../../src/core/exchange/intent.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { Credential } from "../../src/core/exchange/send-request.ts";
import { chatOnSubject, textOf, waitForRoom } from "./at-once-tools.ts";
import { chatRequest, shortChatTokens } from "../requests/chat-request.ts";
import type { Members } from "../requests/members.ts";
import { around, hoursAround, untilStill, usageResource } from "../requests/usage-tools.ts";
import { violates } from "../requests/intents.ts";
import { jsonRequest } from "../requests/json-request.ts";

/** Alone, at once and afterwards, and one for rounding. */
const chatsOfOneWindow = 2 * validChats + 4 * copies + 2;

/** A request that has to be refused, whose answer says which one it belongs to: each is wrong in a respect of its own. */
interface Refusal {
  readonly kind: RefusalKind;
  readonly request: CaseRequest;
}

function refusals(manifest: Manifest): readonly Refusal[] {
  const wrong = (requirement: string, condition: ViolatedCondition, field: string): Intent =>
    violates(requirement, condition, { field, twin: null });
  const chat = (kind: RefusalKind, members: Members, intent: Intent): Refusal => {
    return { kind, request: chatRequest(manifest, kind, members, intent) };
  };
  const { embedding: model } = manifest.models;
  const credential: Credential = { kind: "literal", value: "Bearer assay-in-company" };
  const stranger = chatRequest(manifest, "unknown-key", {}, violates("AUTH-007", "bad-credentials", { twin: null }));
  const effort = { reasoning_effort: "extreme" };
  const vectors = { model, input: "One colour.", encoding_format: "hex" };
  return [
    { kind: "unknown-key", request: { ...stranger, credential } },
    chat("temperature", { temperature: 9 }, wrong("CHAT-021", "out-of-range", "temperature")),
    // The rule on streams is one row, whichever member is wrong (AMB-28).
    manifest.features["stream"] === false
      ? chat("effort", effort, wrong("CHAT-036", "out-of-range", "reasoning_effort"))
      : chat("effort", { stream: true, ...effort }, wrong("STRM-010", "out-of-range", "reasoning_effort")),
    chat("unknown-model", { model: "assay-no-such-model-7f3a" }, wrong("CHAT-004", "unknown-model", "model")),
    ...(model === null
      ? []
      : [
          {
            kind: "encoding" as const,
            request: jsonRequest("embeddings", "encoding", vectors, wrong("EMB-016", "out-of-range", "encoding_format")),
          },
        ]),
  ];
}

function valid(tools: CaseTools): readonly CaseRequest[] {
  const { manifest } = tools;
  const { embedding: model } = manifest.models;
  const chats = Array.from({ length: validChats }, (_, place) => chatOnSubject(manifest, atOnceLabels.chat.label(place), place));
  const embeddings = Array.from({ length: model === null ? 0 : validEmbeddings }, (_, place) =>
    jsonRequest("embeddings", atOnceLabels.embedding.label(place), { model, input: textOf(place) }),
  );
  return chats.flatMap((chat, place) => [chat, ...embeddings.slice(place, place + 1)]);
}

/** All in one go: some valid ones first, and the others in turn, so that refusals meet requests that are being served. */
async function sendTogether(tools: CaseTools): Promise<readonly ExchangeFacts[]> {
  const served = valid(tools);
  const kinds = refusals(tools.manifest);
  const refused = Array.from({ length: copies }, (_, copy) =>
    kinds.map(({ kind, request }): CaseRequest => ({ ...request, label: refusalLabels.company.label(kind, copy) })),
  ).flat();
  const early = Math.ceil((2 * served.length) / 3);
  const rest = served.slice(early);
  const mixed = refused.flatMap((one, index) => [one, ...rest.slice(index, index + 1)]);
  const answers = await tools.sendAtOnce([...served.slice(0, early), ...mixed, ...rest.slice(refused.length)]);
  const afterwards = await tools.send(chatRequest(tools.manifest, atOnceLabels.afterwards));
  return [...answers, afterwards];
}

async function sendAloneAndTogether(tools: CaseTools): Promise<readonly ExchangeFacts[]> {
  const alone: ExchangeFacts[] = [];
  for (const request of valid(tools)) {
    const sent = await tools.send({ ...request, label: atOnceLabels.alone.label(request.label) });
    if (alone.length === 0) await waitForRoom(tools, sent, chatsOfOneWindow);
    alone.push(sent);
  }
  return [...alone, ...(await sendTogether(tools))];
}

export const refusalsAtOnceCases: readonly Case[] = [
  {
    id: "core/refusals-at-once",
    suite: "core",
    title: "Keeps refusals apart from requests that are served at the same time",
    covers: ["SVC-024", "SVC-022", "USG-032"],
    needs: [{ kind: "model", use: "chat" }],
    needsOfRows: { "USG-032": [{ kind: "feature", name: "usage" }] },
    resource: usageResource,
    alone: true,
    cost: {
      requests: {
        models: 1,
        usage: 15,
        chat: 2 * validChats + 4 * (copies + 1) + 3,
        embeddings: 2 * validEmbeddings + copies + 1,
      },
      tokens: (2 * (validChats + validEmbeddings) + 3) * shortChatTokens,
      // Until two reports in a row say the same.
      waitSeconds: 4,
    },
    async run(tools) {
      for (const { kind, request } of refusals(tools.manifest)) {
        await tools.send({ ...request, label: refusalLabels.alone.label(kind) });
      }
      if (!isOperationDeclared("usage", tools.manifest)) {
        await sendAloneAndTogether(tools);
        return;
      }
      await untilStill(tools, hoursAround(tools.wallMs(), 2));
      await around(tools, () => sendAloneAndTogether(tools));
    },
  },
];
