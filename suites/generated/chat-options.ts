import { lookUpTool } from "../requests/look-up-tool.ts";
import type { Members } from "../requests/members.ts";
import { type Dimension, type Draft, framings, type Level, memberLevel, notations, usualLevel } from "./dimension.ts";

const user = { role: "user", content: "Name a colour." };
const assistant = { role: "assistant", content: "Blue." };
const system = { role: "system", content: "Answer in one word." };

const turns = (name: string, messages: readonly Members[]): Level => memberLevel(name, { messages });

function withText(name: string, text: string): Level {
  const change = (draft: Draft): Draft => {
    const messages = draft.members["messages"] as readonly Members[];
    const last = { ...messages.at(-1), content: text };
    return { ...draft, members: { ...draft.members, messages: [...messages.slice(0, -1), last] } };
  };
  return { name, change };
}

/** The options of a chat request that the specification names, and the ways to write them. */
export const chatOptions: readonly Dimension[] = [
  {
    levels: [
      usualLevel,
      turns("system-first", [system, user]),
      turns("in-turns", [user, assistant, user]),
      turns("same-role-twice", [user, user]),
      turns("assistant-first", [assistant, user]),
      turns("system-later", [user, assistant, system, user]),
      turns("two-systems", [system, system, user]),
      turns(
        "list-of-65",
        Array.from({ length: 65 }, (_, place) => (place % 2 === 0 ? user : assistant)),
      ),
    ],
  },
  {
    levels: [
      usualLevel,
      withText("other-scripts", "Grüße, שלום, 你好, e\u0301, 👩‍🚀: name a colour."),
      withText("controls-and-quotes", "Name\r\na \"colour\"\t\\ 'here'.\n"),
    ],
  },
  {
    levels: [usualLevel, ...[0, 0.7, 2].map((value) => memberLevel(`temperature-${value}`, { temperature: value }))],
  },
  { levels: [usualLevel, ...[0.5, 1].map((value) => memberLevel(`top-p-${value}`, { top_p: value }))] },
  { levels: [usualLevel, ...[1, 64].map((value) => memberLevel(`max-tokens-${value}`, { max_tokens: value }))] },
  {
    levels: [
      usualLevel,
      ...["low", "medium", "high"].map((value) => memberLevel(`effort-${value}`, { reasoning_effort: value })),
    ],
  },
  {
    levels: [usualLevel, memberLevel("stream-false", { stream: false }), memberLevel("stream-true", { stream: true })],
    feature: "stream",
  },
  {
    levels: [usualLevel, memberLevel("no-tools", { tools: [] }), memberLevel("one-tool", { tools: [lookUpTool] })],
    feature: "tools",
  },
  {
    levels: [...notations.levels, { name: "exponents", change: (draft) => ({ ...draft, notation: "exponents" }) }],
  },
  {
    levels: [usualLevel, { name: "charset", change: (draft) => ({ ...draft, contentType: "application/json; charset=utf-8" }) }],
  },
  framings,
];
