import { lookUpTool } from "./requests/look-up-tool.ts";
import { elementLabels, type ElementPlace } from "../src/conformance/judges/rejections/element-rules.ts";
import type { Case, CaseTools } from "../src/conformance/plan/case.ts";
import type { Intent, StatedAnswer } from "../src/core/exchange/intent.ts";
import type { Manifest } from "../src/core/manifest.ts";
import { chatMembers, shortChatTokens } from "./requests/chat-request.ts";
import type { Members } from "./requests/members.ts";

/** A member of a request that is a list, and what its elements are made of. A test holds the table against the request schemas. */
export interface ElementList {
  readonly endpoint: "chat" | "embeddings";
  readonly list: string;
  readonly element: (place: number) => unknown;
  /** Members that each element has to have. */
  readonly required: readonly string[];
  /** Members whose words are listed. */
  readonly words: readonly string[];
  /** Length of a list that is still taken for short, and of a long one; null: none is sent. */
  readonly long: number | null;
}

export const elementLists: readonly ElementList[] = [
  {
    endpoint: "chat",
    list: "messages",
    // All of them from the user: what others may lack is a matter of tools, which are not described.
    element: (place) => ({ role: "user", content: `Note ${place + 1}.` }),
    required: ["role", "content"],
    words: ["role"],
    long: 41,
  },
  { endpoint: "chat", list: "tools", element: () => lookUpTool, required: [], words: [], long: null },
  { endpoint: "embeddings", list: "input", element: (place) => `Note ${place + 1}.`, required: [], words: [], long: 64 },
];

interface ElementRule {
  readonly name: string;
  readonly spoil: (element: unknown) => unknown;
}

const wrongValue = 7;

/** Every way to spoil one element, in order: those that are asked in a long list too come first. */
function rulesOf({ required, words }: ElementList): readonly ElementRule[] {
  const members = (element: unknown): Members => element as Members;
  return [
    ...words.map((name) => ({
      name: `unlisted-${name}`,
      spoil: (element: unknown) => ({ ...members(element), [name]: "robot" }),
    })),
    // No number: a list that begins with one may be read as one of tokens.
    { name: "boolean", spoil: () => true },
    ...required.map((name) => ({
      name: `missing-${name}`,
      spoil: (element: unknown) => {
        const { [name]: _left, ...rest } = members(element);
        return rest;
      },
    })),
    ...required.map((name) => ({
      name: `number-as-${name}`,
      spoil: (element: unknown) => ({ ...members(element), [name]: wrongValue }),
    })),
    { name: "null", spoil: () => null },
  ];
}

/** The middle alone shows who looks at the first or at the last one only; where it is refused, both ends are what it is held against. */
const shortPlaces = { first: 0, middle: 1, last: 2 } as const;
const shortLength = 3;

const answers: readonly StatedAnswer[] = ["2xx", "4xx"];
const intent = (purpose: string, field?: string): { readonly intent: Intent } => ({
  intent: { kind: "housekeeping", purpose, answers, ...(field === undefined ? {} : { field }) },
});

function requestOf(manifest: Manifest, { endpoint, list }: ElementList, elements: readonly unknown[]): Members {
  return endpoint === "chat"
    ? chatMembers(manifest, { max_tokens: 4, [list]: elements })
    : { model: manifest.models.embedding, [list]: elements };
}

async function sendList(tools: CaseTools, one: ElementList): Promise<void> {
  const { endpoint, list, element, long } = one;
  const elements = (length: number): readonly unknown[] => Array.from({ length }, (_, place) => element(place));
  const send = async (label: string, value: readonly unknown[], field?: string): Promise<boolean> => {
    const body = { kind: "json", value: requestOf(tools.manifest, one, value) } as const;
    const purpose = field === undefined ? "be accepted as a list" : "break a rule in one element of a list";
    return (await tools.send({ endpoint, label, body, ...intent(purpose, field) })).isSuccess;
  };
  const spoil = async (rule: ElementRule, place: ElementPlace, at: number, length: number): Promise<void> => {
    const value = elements(length).map((each, index) => (index === at ? rule.spoil(each) : each));
    await send(elementLabels.probe.label({ list, rule: rule.name, place }), value, `${list}.${at}`);
  };
  // If a list is not accepted as it should be, a spoiled element of it shows nothing.
  if (!(await send(elementLabels.twin(list), elements(shortLength)))) return;
  const rules = rulesOf(one);
  for (const rule of rules) {
    for (const [place, at] of Object.entries(shortPlaces)) await spoil(rule, place as ElementPlace, at, shortLength);
  }
  const [first] = rules;
  if (long === null || first === undefined || !(await send(elementLabels.longTwin(list), elements(long)))) return;
  await spoil(first, "late", long - 1, long);
}

function caseOf(endpoint: ElementList["endpoint"], use: "chat" | "embedding"): Case {
  const lists = elementLists.filter((one) => one.endpoint === endpoint);
  const refused = lists.reduce((sum, one) => sum + 3 * rulesOf(one).length + (one.long === null ? 0 : 1), 0);
  const accepted = lists.reduce((sum, one) => sum + (one.long === null ? 1 : 2), 0);
  return {
    id: `${endpoint}/element-rules`,
    suite: endpoint,
    title: "Keeps the rules on the elements of a list wherever an element stands",
    covers: ["ERR-039"],
    needs: [{ kind: "model", use }],
    cost: {
      requests: { [endpoint]: refused + accepted },
      tokens: accepted * 2 * shortChatTokens + 400,
    },
    async run(tools) {
      for (const one of lists) {
        if (one.list !== "tools" || tools.manifest.features["tools"] === true) await sendList(tools, one);
      }
    },
  };
}

/** Rules on elements of lists, each held against itself in other places. */
export const elementCases: readonly Case[] = [caseOf("chat", "chat"), caseOf("embeddings", "embedding")];
