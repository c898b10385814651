import { atOnceLabels } from "../src/conformance/judges/concurrency/at-once.ts";
import { refusalLabels } from "../src/conformance/judges/concurrency/refusals-at-once.ts";
import type { Case, CaseRequest, CaseTools } from "../src/conformance/plan/case.ts";
import type { ExchangeFacts } from "../src/core/exchange/exchange-facts.ts";
import type { Intent, ViolatedCondition } from "../src/core/exchange/intent.ts";
import type { Manifest } from "../src/core/manifest.ts";
import type { Credential } from "../src/core/exchange/send-request.ts";
import { textOf, waitForRoom } from "./at-once.ts";
import { chatMembers, chatRequest, shortChatTokens } from "./chat-request.ts";
import type { Members } from "./negatives/negative-cases.ts";
import { around } from "./usage-reconciliation.ts";
import { floorTo, hourMs, untilStill, usageResource, utc } from "./usage-tools.ts";

/** Thirty-two in all, with three of each kind that has to be refused. */
const validChats = 10;
const validEmbeddings = 7;
const copies = 3;
/** Alone, at once and afterwards, and one for rounding. */
const chatsOfOneWindow = 2 * validChats + 4 * copies + 2;

/** A request that has to be refused, whose answer says which one it belongs to: each is wrong in a respect of its own. */
interface Refusal {
  readonly kind: string;
  readonly request: Omit<CaseRequest, "label">;
}

function refusals(manifest: Manifest): readonly Refusal[] {
  const violates = (requirement: string, condition: ViolatedCondition, field?: string): Pick<CaseRequest, "intent"> => {
    const intent: Intent = { kind: "violates", requirement, condition, twin: null, ...(field === undefined ? {} : { field }) };
    return { intent };
  };
  const chat = (members: Members): Pick<CaseRequest, "endpoint" | "body"> => ({
    endpoint: "chat",
    body: { kind: "json", value: chatMembers(manifest, members) },
  });
  const { embedding } = manifest.models;
  const nobody: { readonly credential: Credential } = { credential: { kind: "literal", value: "Bearer assay-in-company" } };
  const streams = manifest.features["stream"] === false ? {} : { stream: true };
  return [
    { kind: "unknown-key", request: { ...chat({}), ...nobody, ...violates("AUTH-007", "bad-credentials") } },
    { kind: "temperature", request: { ...chat({ temperature: 9 }), ...violates("CHAT-021", "out-of-range", "temperature") } },
    {
      kind: "effort",
      request: {
        ...chat({ ...streams, reasoning_effort: "extreme" }),
        // The rule on streams is one row, whichever member is wrong (AMB-28).
        ...violates("stream" in streams ? "STRM-010" : "CHAT-036", "out-of-range", "reasoning_effort"),
      },
    },
    {
      kind: "unknown-model",
      request: { ...chat({ model: "assay-no-such-model-7f3a" }), ...violates("CHAT-004", "unknown-model", "model") },
    },
    ...(embedding === null
      ? []
      : [
          {
            kind: "encoding",
            request: {
              endpoint: "embeddings",
              body: { kind: "json", value: { model: embedding, input: "One colour.", encoding_format: "hex" } },
              ...violates("EMB-016", "out-of-range", "encoding_format"),
            },
          } as const,
        ]),
  ];
}

function valid(tools: CaseTools): readonly CaseRequest[] {
  const { manifest } = tools;
  const chats = Array.from({ length: validChats }, (_, place) => {
    const messages = [{ role: "user", content: `Say one word about ${textOf(place)}.` }];
    return chatRequest(manifest, atOnceLabels.chat(String(place)), { messages });
  });
  const embeddings = Array.from(
    { length: manifest.models.embedding === null ? 0 : validEmbeddings },
    (_, place): CaseRequest => ({
      endpoint: "embeddings",
      label: atOnceLabels.embedding(String(place)),
      body: { kind: "json", value: { model: manifest.models.embedding, input: textOf(place) } },
    }),
  );
  return chats.flatMap((chat, place) => [chat, ...embeddings.slice(place, place + 1)]);
}

/** All in one go: some valid ones first, and the others in turn, so that refusals meet requests that are being served. */
async function sendTogether(tools: CaseTools): Promise<readonly ExchangeFacts[]> {
  const served = valid(tools);
  const kinds = refusals(tools.manifest);
  const refused = Array.from({ length: copies }, (_, copy) =>
    kinds.map(({ kind, request }): CaseRequest => ({ ...request, label: refusalLabels.company(kind, copy) })),
  ).flat();
  const early = Math.ceil((2 * served.length) / 3);
  const rest = served.slice(early);
  const mixed = refused.flatMap((one, index) => [one, ...rest.slice(index, index + 1)]);
  const answers = await tools.sendAtOnce([...served.slice(0, early), ...mixed, ...rest.slice(refused.length)]);
  const afterwards = await tools.send(chatRequest(tools.manifest, atOnceLabels.afterwards));
  return [...answers, afterwards];
}

export const refusalsAtOnceCases: readonly Case[] = [
  {
    id: "core/refusals-at-once",
    suite: "core",
    title: "Keeps refusals apart from requests that are served at the same time",
    covers: ["SVC-024", "SVC-022", "USG-032"],
    needs: [{ kind: "model", use: "chat" }],
    resource: usageResource,
    alone: true,
    cost: {
      requests: {
        models: 1,
        usage: 15,
        chat: 2 * validChats + 4 * (copies + 1) + 3,
        embeddings: 2 * validEmbeddings + copies + 1,
      },
      refused: { chat: 4 * (copies + 1), embeddings: copies + 1 },
      atOnce: { chat: validChats + 4 * copies, embeddings: validEmbeddings + copies },
      tokens: (2 * (validChats + validEmbeddings) + 3) * shortChatTokens,
      // Until two reports in a row say the same.
      waitSeconds: 4,
    },
    async run(tools) {
      for (const { kind, request } of refusals(tools.manifest)) {
        await tools.send({ ...request, label: refusalLabels.alone(kind) });
      }
      const hour = floorTo(tools.wallMs(), hourMs);
      await untilStill(tools, { from: utc(hour - 2 * hourMs), to: utc(hour + 2 * hourMs), granularity: "hour" });
      await around(tools, async () => {
        const alone: ExchangeFacts[] = [];
        for (const request of valid(tools)) {
          const sent = await tools.send({ ...request, label: atOnceLabels.alone(request.label) });
          if (alone.length === 0) await waitForRoom(tools, sent, chatsOfOneWindow);
          alone.push(sent);
        }
        return [...alone, ...(await sendTogether(tools))];
      });
    },
  },
];
