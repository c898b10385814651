import { readStreamText, usualReading } from "../../src/conformance/judges/stream/stream-text-reading.ts";
import { effectLabels, effectSeries } from "../../src/conformance/judges/settings/effect-labels.ts";
import { atOnceLabels } from "../../src/conformance/judges/concurrency/at-once.ts";
import { groupBy } from "../../src/core/group-by.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import type { Case, CaseRequest, CaseTools } from "../../src/conformance/plan/case.ts";
import { chatRequest, shortChatTokens } from "../requests/chat-request.ts";
import { keySettingsNeeds, settingsKey, settingsResource } from "../requests/settings-target.ts";
import { exceeding, lowerBurst } from "../requests/burst-limit.ts";
import { jsonRequest } from "../requests/json-request.ts";
import { chatOnSubject, subjects, textOf, waitForRoom } from "./at-once-tools.ts";
import type { EndpointId } from "../../src/core/exchange/endpoint.ts";

/** Chats in flight together, the one afterwards, and a few that a limiter may give back meanwhile. */
const chatsToCome = 2 * subjects.length + 6;

/** Embeddings that set the two windows apart, at most. */
const mostApart: number = 2 * subjects.length + chatsToCome;

/**
 * Fields of two operations whose windows state about the same number do not show whose they are. Embeddings are asked until what remains of
 * them lies below all that chat will state. Nothing is asked where the numbers differ anyway, or where embeddings have no room for it.
 */
async function setApart(tools: CaseTools, alone: readonly ExchangeFacts[]): Promise<void> {
  const chat = remainingOf(alone, "chat");
  const embeddings = remainingOf(alone, "embeddings");
  const { embedding: model } = tools.manifest.models;
  if (model === null || chat === null || embeddings === null) return;
  const below = chat.last - chatsToCome;
  const isAbove = embeddings.last - subjects.length > chat.first;
  const count = isAbove ? 0 : embeddings.last - below;
  if (count > mostApart || embeddings.last < count + 2 * subjects.length) return;
  for (let sent = 1; sent <= count; sent += 1) {
    await tools.send(jsonRequest("embeddings", `apart-${sent}`, { model, input: textOf(0) }));
  }
}

/** The numbers that remain after the first and the last answer of the window that is open now. */
function remainingOf(
  alone: readonly ExchangeFacts[],
  endpoint: EndpointId,
): { readonly first: number; readonly last: number } | null {
  const shown = alone.filter((one) => one.endpoint === endpoint).map(({ rateLimit }) => rateLimit.requests);
  const last = shown.at(-1);
  if (last?.reset?.kind !== "instant" || last.remaining === null) return null;
  const { unixMs } = last.reset;
  const first = shown.find(({ reset }) => reset?.kind === "instant" && reset.unixMs === unixMs)?.remaining ?? last.remaining;
  return { first, last: last.remaining };
}

interface AtOnce {
  readonly request: CaseRequest;
  /** Whether it is sent alone as well: another chat and a stream about the same subject would show nothing more. */
  readonly isSentAlone: boolean;
}

/** Embeddings, an answer in one piece and a stream about each subject, each recognizable by its content. */
function requestsAbout(tools: CaseTools, place: number): readonly AtOnce[] {
  const { manifest } = tools;
  const both = (request: CaseRequest): AtOnce => ({ request, isSentAlone: true });
  const chat = both(chatOnSubject(manifest, atOnceLabels.chat.label(place), place));
  const again = { request: chatOnSubject(manifest, atOnceLabels.chat.label(place, "again"), place), isSentAlone: false };
  const streamed = chatOnSubject(manifest, atOnceLabels.stream.label(place), place, { stream: true });
  const stream = { request: streamed, isSentAlone: false };
  const { embedding: model } = manifest.models;
  if (model === null) return [chat, again, stream];
  const embedding = (label: string, input: unknown): AtOnce => both(jsonRequest("embeddings", label, { model, input }));
  const batch = [textOf(place), textOf(place + 8), textOf(place + 16)];
  return [
    chat,
    stream,
    place % 2 === 0
      ? embedding(atOnceLabels.batch.label(place), batch)
      : embedding(atOnceLabels.embedding.label(place), textOf(place)),
  ];
}

/** Chat requests of the case before its streams, and one for rounding: alone, at once and afterwards. */
const chatsOfOneWindow = 8 + 20 + 1 + 1;

/** More than a dozen of them may be lost to whatever lies beyond twenty. */
const streamsTogether = 32;

/** Streams that are open alone: each of some requests, more than once. */
const [singlePlaces, singleTimes] = [4, 2];

/** Whether streams of equal requests hold equal texts, by the usual reading. */
function areAlike(streams: readonly ExchangeFacts[]): boolean {
  const texts = groupBy(streams, ({ requestObject }) => JSON.stringify(requestObject?.["messages"] ?? null));
  return [...texts.values()].every((equal) => new Set(equal.map((stream) => readStreamText(stream, usualReading))).size === 1);
}

const mixed: Case = {
  id: "core/at-once",
  suite: "core",
  title: "Keeps requests apart that are in flight at the same time",
  covers: ["SVC-021", "SVC-022", "CMPL-002", "CHAT-045", "RATE-046"],
  needs: [{ kind: "model", use: "chat" }],
  needsOfRows: { "CHAT-045": [{ kind: "feature", name: "stream" }] },
  alone: true,
  cost: {
    requests: { chat: 33 + streamsTogether + singlePlaces * singleTimes, embeddings: 16 + mostApart },
    tokens: (57 + mostApart + streamsTogether + singlePlaces * singleTimes) * shortChatTokens,
  },
  async run(tools) {
    const places = subjects.map((_, place) => place);
    // The same requests one after another first: what belongs to each is known before they meet.
    const alone: ExchangeFacts[] = [];
    for (const place of places) {
      for (const { request } of requestsAbout(tools, place).filter(({ isSentAlone }) => isSentAlone)) {
        const sent = await tools.send({ ...request, label: atOnceLabels.alone.label(request.label) });
        alone.push(sent);
        if (place === 0 && request.endpoint === "chat") await waitForRoom(tools, sent, chatsOfOneWindow);
      }
    }
    await setApart(tools, alone);
    await tools.sendAtOnce(places.flatMap((place) => requestsAbout(tools, place)).map(({ request }) => request));
    await tools.send(chatRequest(tools.manifest, atOnceLabels.afterwards));
    if (tools.manifest.features["stream"] === false) return;
    // A fast service answers what leaves together before the next one is read; streams stay open until all of them are. No
    // connection of theirs was used before: that one is closed has no innocent explanation.
    const open = Array.from({ length: streamsTogether }, (_, place) => {
      const stream = chatOnSubject(tools.manifest, `open-stream-${place}`, place % subjects.length, { stream: true });
      return { ...stream, connection: "fresh" } as const;
    });
    const opened = await tools.sendAtOnce(open);
    if (areAlike(opened)) return;
    // Alone they show whether the target samples its answers, or mixes streams that are open together.
    for (const place of places.slice(0, singlePlaces)) {
      for (let time = 1; time <= singleTimes; time += 1) {
        await tools.send(chatOnSubject(tools.manifest, `single-stream-${place}-${time}`, place, { stream: true }));
      }
    }
  },
};

/** Several changes at once: each names a member of its own, so that none may be lost. */
const changes: Case = {
  id: "settings/changes-at-once",
  suite: "settings",
  title: "Loses no change of settings that meets another one",
  covers: ["KEY-014"],
  needs: keySettingsNeeds,
  resource: settingsResource,
  alone: true,
  cost: { requests: { "key-settings": 6, models: 12 }, tokens: 0 },
  run: (tools) =>
    tools.restoring({ kind: "key", key: settingsKey }, async () => {
      const cooldown = (round: number): CaseRequest =>
        lowerBurst(tools.manifest, effectSeries.setCooldown.label(round), { cooldown_seconds: 2 });
      // If a limit is nearly used up the first one leaves before the others: the one that is followed up is never that.
      const limit = lowerBurst(tools.manifest, effectLabels.setBurst, { burst_limit: 3 });
      await tools.sendAtOnce([cooldown(1), cooldown(2), limit, cooldown(3), cooldown(4)]);
      for (let request = 1; request <= 8; request += 1) {
        const exchange = await tools.send({
          endpoint: "models",
          label: effectSeries.exceed.label(request),
          credential: { kind: "bearer", key: settingsKey },
          intent: exceeding,
          retry: false,
        });
        if (exchange.response?.status === 429) return;
        if (request === 4) await tools.sleep(tools.manifest.propagationSeconds * 1000);
      }
    }),
};

/** Cases whose faults show only when several requests are in flight. */
export const atOnceCases: readonly Case[] = [mixed, changes];
