import type { Case, CaseTools, Need } from "../../src/conformance/plan/case.ts";
import type { Intent, ViolatedCondition } from "../../src/core/exchange/intent.ts";
import { chatMembers, chatRequest, shortChatTokens } from "../requests/chat-request.ts";
import type { Members } from "../requests/members.ts";
import { removeMember, replaceMember } from "../negatives/negative-cases.ts";
import type { EndpointId } from "../../src/core/exchange/endpoint.ts";
import { violates } from "../requests/intents.ts";
import { jsonRequest } from "../requests/json-request.ts";

/** One rule and the way to break it. */
interface Rule {
  readonly requirement: string;
  readonly condition: ViolatedCondition;
  readonly field: string;
  /** Absent: the member is left out. */
  readonly value?: unknown;
}

const chatRules: readonly Rule[] = [
  { requirement: "CHAT-002", condition: "missing-field", field: "model" },
  { requirement: "CHAT-006", condition: "missing-field", field: "messages" },
  { requirement: "CHAT-020", condition: "out-of-range", field: "temperature", value: -0.5 },
  { requirement: "CHAT-021", condition: "out-of-range", field: "temperature", value: 2.5 },
  { requirement: "CHAT-036", condition: "out-of-range", field: "reasoning_effort", value: "extreme" },
  { requirement: "MSG-004", condition: "out-of-range", field: "messages.0.role", value: "robot" },
];

const turns = [
  { role: "user", content: "Name a colour." },
  { role: "assistant", content: "Blue." },
  { role: "user", content: "Another one." },
];

/** Longer than any prompt of the other cases; cheap to answer. */
function longTurns(count: number): readonly Members[] {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Note ${index + 1}: the ferry leaves the old harbour at half past seven and returns before the tide turns.`,
  }));
}
const longPromptTokens = 1600;

/** A form in which a rule can be broken: what else the request holds, and which rules are asked in it. */
interface Form {
  readonly name: string;
  readonly title: string;
  /** The first that the target accepts is used: how long an input may be is not stated. */
  readonly members: readonly [Members, ...Members[]];
  readonly rules: readonly Rule[];
  readonly tokensEach: number;
}

const forms: readonly Form[] = [
  {
    name: "streamed",
    title: "Keeps each rule where a stream is asked for",
    members: [{ stream: true }],
    // The rule on streams is one row, whichever member is wrong (AMB-28).
    rules: chatRules.map((rule) => ({ ...rule, requirement: "STRM-010" })),
    tokensEach: shortChatTokens,
  },
  {
    name: "several-messages",
    title: "Looks at each message, not at the first alone",
    members: [{ messages: turns }],
    rules: [0, 1, 2].map((place) => ({
      requirement: "MSG-004",
      condition: "out-of-range",
      field: `messages.${place}.role`,
      value: "robot",
    })),
    tokensEach: shortChatTokens,
  },
  {
    name: "long",
    title: "Keeps each rule in a long request",
    members: [
      { messages: longTurns(41), max_tokens: 8 },
      { messages: longTurns(21), max_tokens: 8 },
      { messages: longTurns(11), max_tokens: 8 },
    ],
    // Without its messages the request would not be long.
    rules: chatRules.filter(({ field }) => !field.startsWith("messages")),
    tokensEach: longPromptTokens,
  },
];

const chatNeed: Need = { kind: "model", use: "chat" };
const embeddingNeed: Need = { kind: "model", use: "embedding" };

/** The request that breaks a rule, and no other of it. */
async function sendBroken(
  tools: CaseTools,
  endpoint: EndpointId,
  valid: Members,
  rules: readonly Rule[],
  twin = "twin",
): Promise<void> {
  for (const [index, rule] of rules.entries()) {
    const intent = violates(rule.requirement, rule.condition, { field: rule.field, twin });
    const broken = rule.value === undefined ? removeMember(valid, rule.field) : replaceMember(valid, rule.field, rule.value);
    await tools.send(jsonRequest(endpoint, `rule-${index + 1}`, broken, intent));
  }
}

function formCase({ name, title, members, rules, tokensEach }: Form): Case {
  return {
    id: `chat/rules-${name}`,
    suite: name === "streamed" ? "stream" : "chat",
    title,
    covers: [...new Set(rules.map(({ requirement }) => requirement))],
    needs: name === "streamed" ? [chatNeed, { kind: "feature", name: "stream" }] : [chatNeed],
    cost: {
      requests: { chat: rules.length + members.length },
      tokens: (rules.length + members.length) * tokensEach,
    },
    async run(tools) {
      const accepted = await firstAccepted(tools, members);
      if (accepted === null) return;
      await sendBroken(tools, "chat", accepted.valid, rules, accepted.twin);
    },
  };
}

/** The first choice that is accepted. If there is another choice, a refusal says nothing: null after the last. */
async function firstAccepted(
  tools: CaseTools,
  choices: readonly Members[],
): Promise<{ readonly valid: Members; readonly twin: string } | null> {
  const intent: Intent =
    choices.length > 1
      ? { kind: "housekeeping", purpose: "find a length that is accepted", answers: ["2xx", 400, 413, 422] }
      : { kind: "valid" };
  for (const [index, members] of choices.entries()) {
    const valid = chatMembers(tools.manifest, members);
    const twin = index === 0 ? "twin" : `twin-${index + 1}`;
    const { response } = await tools.send(chatRequest(tools.manifest, twin, valid, intent));
    const isRefused = response !== null && response.status >= 400 && response.status < 500;
    if (!isRefused || choices.length === 1) return { valid, twin };
  }
  return null;
}

const batchRules: readonly Rule[] = [
  { requirement: "EMB-008", condition: "missing-field", field: "model" },
  { requirement: "EMB-016", condition: "out-of-range", field: "encoding_format", value: "hex" },
  ...[0, 1, 2].map((place) => ({
    requirement: "EMB-006",
    condition: "wrong-type" as const,
    field: "input",
    value: ["One.", "Two.", "Three."].map((text, index) => (index === place ? 7 : text)),
  })),
];

const batchCase: Case = {
  id: "embeddings/rules-batch",
  suite: "embeddings",
  title: "Keeps each rule in a batch, whichever entry is wrong",
  covers: ["EMB-006", "EMB-008", "EMB-016"],
  needs: [embeddingNeed],
  cost: { requests: { embeddings: batchRules.length + 1 }, tokens: 60 },
  async run(tools) {
    const valid = { model: tools.manifest.models.embedding, input: ["One.", "Two.", "Three."] };
    await tools.send(jsonRequest("embeddings", "twin", valid));
    await sendBroken(tools, "embeddings", valid, batchRules);
  },
};

const imageRules: readonly Rule[] = [
  { requirement: "IMG-002", condition: "missing-field", field: "prompt" },
  { requirement: "IMG-013", condition: "out-of-range", field: "size", value: "512x512" },
  { requirement: "IMG-018", condition: "out-of-range", field: "quality", value: "ultra" },
];

const imageCase: Case = {
  id: "images/rules-with-all-members",
  suite: "images",
  title: "Keeps each rule where all other members are given",
  covers: imageRules.map(({ requirement }) => requirement),
  needs: [],
  cost: {
    requests: { images: imageRules.length + 1 },
    tokens: 0,
    images: imageRules.length + 1,
  },
  async run(tools) {
    const valid = { prompt: "A red circle", n: 1, size: "1024x1792", quality: "hd" };
    await tools.send(jsonRequest("images", "twin", valid));
    await sendBroken(tools, "images", valid, imageRules);
  },
};

/** Conditions that other cases ask in one form, in the further forms in which they can appear. */
export const crossingCases: readonly Case[] = [...forms.map(formCase), batchCase, imageCase];
