import { fetchImages } from "../requests/fetch-images.ts";
import { optionLabels, optionsText } from "../../src/conformance/judging/option-labels.ts";
import type { Case, CaseTools, Need } from "../../src/conformance/plan/case.ts";
import type { EndpointId } from "../../src/core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { Random } from "../../src/core/random.ts";
import type { Members } from "../requests/members.ts";
import { chatMembers, shortChatTokens } from "../requests/chat-request.ts";
import { audioOptions } from "./audio-options.ts";
import { chatOptions } from "./chat-options.ts";
import { coverTuples } from "./cover-tuples.ts";
import { chunked, type Dimension, type Draft, framings, type Level, memberLevel, notations, usualLevel } from "./dimension.ts";
import { writeJson } from "./write-json.ts";
import type { JsonObject } from "../../src/conformance/judging/json-value.ts";

/** The options of an image request: few, because images cost money. */
const imageOptions: readonly Dimension[] = [
  { levels: [usualLevel, ...["1792x1024", "1024x1792"].map((size) => memberLevel(size, { size }))] },
  { levels: [usualLevel, memberLevel("n-2", { n: 2 })] },
  { levels: [usualLevel, memberLevel("hd", { quality: "hd" })] },
  { levels: [usualLevel, ...notations.levels.slice(1, 3)] },
  chunked,
];

/** Texts of a list: two of them are equal where there are more than two. */
const texts = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, place) => `Note ${count > 2 && place === count - 1 ? 2 : place + 1}.`);

function withText(name: string, text: string): Level {
  const change = (draft: Draft): Draft => {
    const { input } = draft.members;
    const changed = Array.isArray(input) ? [text, ...(input as readonly unknown[]).slice(1)] : text;
    return { ...draft, members: { ...draft.members, input: changed } };
  };
  return { name, change };
}

/** The options of an embeddings request. `dimensions` is asked for by a case of its own: not each number is one that a model takes. */
const embeddingOptions: readonly Dimension[] = [
  {
    levels: [
      usualLevel,
      // Services work on long lists in parts.
      ...[1, 2, 65].map((count) => memberLevel(`list-of-${count}`, { input: texts(count) })),
    ],
  },
  {
    levels: [
      usualLevel,
      withText("other-scripts", "Grüße, שלום, 你好, e\u0301, 👩‍🚀."),
      withText("controls-and-quotes", "The\r\n\"river\"\tis \\ 'calm'.\n"),
    ],
  },
  { levels: [usualLevel, ...["float", "base64"].map((value) => memberLevel(value, { encoding_format: value }))] },
  notations,
  framings,
];

interface Operation {
  readonly endpoint: EndpointId;
  readonly suite: Case["suite"];
  readonly covers: readonly string[];
  readonly needs: readonly Need[];
  readonly options: readonly Dimension[];
  readonly usual: (manifest: Manifest) => Members;
  readonly cost: (requests: number) => Case["cost"];
  readonly after?: (tools: CaseTools, answer: ExchangeFacts) => Promise<void>;
}

const operations: readonly Operation[] = [
  {
    endpoint: "chat",
    suite: "chat",
    covers: ["CHAT-044", "MSG-011", "REQ-005", "REQ-006", "REQ-007", "CMPL-024", "CMPL-025"],
    needs: [{ kind: "model", use: "chat" }],
    options: chatOptions,
    usual: chatMembers,
    cost: (requests) => ({ requests: { chat: requests }, tokens: requests * 3 * shortChatTokens }),
  },
  {
    endpoint: "embeddings",
    suite: "embeddings",
    covers: ["EMB-040", "REQ-006", "REQ-007", "EMB-042"],
    needs: [{ kind: "model", use: "embedding" }],
    options: embeddingOptions,
    usual: ({ models }) => ({ model: models.embedding, input: "The river is calm." }),
    cost: (requests) => ({ requests: { embeddings: requests }, tokens: requests * 120 }),
  },
  {
    endpoint: "images",
    suite: "images",
    covers: ["IMG-031", "REQ-006"],
    needs: [],
    options: imageOptions,
    usual: () => ({ prompt: "A red circle on white" }),
    cost: (requests) => ({ requests: { images: requests, other: 2 * requests }, tokens: 0, images: 2 * requests }),
    after: fetchImages,
  },
];

/** Each level changes places with another of its option: another sample for each seed, which covers the same pairs. */
function shuffled(random: Random, levels: readonly Level[]): readonly Level[] {
  return levels
    .map((level) => ({ level, rank: random.next() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ level }) => level);
}

function draftOf(operation: Operation, manifest: Manifest, levels: readonly Level[]): Draft {
  const usual: Draft = { members: operation.usual(manifest), notation: "usual", contentType: "application/json", headers: {} };
  return levels.reduce((draft, { change }) => change(draft, manifest), usual);
}

/** A refusal of what was asked for, which another request may not meet. */
function isRefused({ status, failure }: ExchangeFacts): boolean {
  return failure === null && (status === 400 || status === 422);
}

/** Leaves out one option after the other of a refused request: what is still refused without it does not need it. One request for each option. */
async function minimize(refused: readonly Level[], ask: (levels: readonly Level[]) => Promise<ExchangeFacts>): Promise<void> {
  let needed = refused;
  for (const level of refused) {
    if (level.name === null) continue;
    const without = needed.filter((one) => one !== level);
    if (without.every(({ name }) => name === null)) return;
    if (isRefused(await ask(without))) needed = without;
  }
}

function generatedCase(operation: Operation, strength: 2 | 3): Case {
  const { endpoint, suite, covers, needs, options } = operation;
  const rows = coverTuples(
    options.map(({ levels }) => levels.length),
    strength,
  );
  return {
    id: `${suite}/options`,
    suite,
    title: `Takes each ${strength === 2 ? "two" : "three"} options together, in any notation`,
    covers,
    needs,
    // Of a target that takes them: what is asked again after a refusal is no part of a plan, as confirmations are none.
    cost: operation.cost(rows.length),
    async run(tools) {
      const { manifest } = tools;
      const offered = options.map(({ levels: [usual, ...others], feature }) =>
        feature !== undefined && manifest.features[feature] === false
          ? [usual, ...others].map(() => usual)
          : shuffled(tools.random, [usual, ...others]),
      );
      let number = 0;
      const ask = async (levels: readonly Level[]): Promise<ExchangeFacts> => {
        number += 1;
        const names = levels.flatMap(({ name }) => name ?? []);
        const { members, notation, contentType, headers } = draftOf(operation, manifest, levels);
        const answer = await tools.send({
          endpoint,
          label: optionLabels.label(optionsText(number, names)),
          headers,
          body: { kind: "raw", bytes: writeJson(members as JsonObject, notation), contentType },
        });
        await operation.after?.(tools, answer);
        return answer;
      };
      let isMinimal = false;
      for (const row of rows) {
        const levels = row.flatMap((level, place) => offered[place]?.[level] ?? []);
        const answer = await ask(levels);
        if (isMinimal || !isRefused(answer)) continue;
        await minimize(levels, ask);
        isMinimal = true;
      }
    },
  };
}

/** Valid requests that no table lists: each so many values of as many options stand in one of them. */
export function generatedCases(strength: 2 | 3): readonly Case[] {
  return [...operations.map((operation) => generatedCase(operation, strength)), audioOptions(strength)];
}
