import { promptLabels } from "../src/conformance/judges/chat/chat-completion-relations.ts";
import { naturalEndLabel } from "../src/conformance/judges/chat/chat-completion-values.ts";
import type { Case, CaseTools, Need } from "../src/conformance/plan/case.ts";
import { chatMembers, chatRequest, shortChatTokens } from "./requests/chat-request.ts";
import { chatFields, chatNegatives } from "./negatives/chat-fields.ts";
import { malformedBodies } from "./negatives/malformed-bodies.ts";
import type { Members } from "./requests/members.ts";
import { negativeCases } from "./negatives/negative-cases.ts";
import { question } from "./requests/intents.ts";
import { jsonRequest } from "./requests/json-request.ts";

const needs: readonly Need[] = [{ kind: "model", use: "chat" }];
const longPrompt = "Write a long story of a lighthouse keeper, with every detail of a whole year.";

function chatCase(
  id: string,
  title: string,
  covers: readonly string[],
  requests: number,
  run: (tools: CaseTools) => Promise<void>,
  tokensEach: number = shortChatTokens,
): Case {
  return {
    id: `chat/${id}`,
    suite: "chat",
    title,
    covers,
    needs,
    cost: { requests: { chat: requests }, tokens: requests * tokensEach },
    run,
  };
}

const positives: readonly Case[] = [
  chatCase(
    "minimal",
    "Answers model and messages alone",
    ["SVC-003", "CHAT-001", "CHAT-012", "CHAT-043"],
    1,
    async (tools) => {
      const { model, messages } = chatMembers(tools.manifest);
      await tools.send(jsonRequest("chat", "minimal", { model, messages }));
    },
    1024,
  ),
  chatCase("roles", "Takes messages of the three roles", ["MSG-001", "MSG-002", "MSG-003", "MSG-006"], 2, async (tools) => {
    const system = { role: "system", content: "Answer in one word." };
    const user = { role: "user", content: "Name a colour." };
    await tools.send(chatRequest(tools.manifest, "system", { messages: [system, user] }));
    const turns = [user, { role: "assistant", content: "Blue." }, { role: "user", content: "Another one." }];
    await tools.send(chatRequest(tools.manifest, "assistant", { messages: turns }));
  }),
  chatCase(
    "sampling",
    "Takes temperatures from 0 to 2 and any mass of top_p",
    ["CHAT-017", "CHAT-018", "CHAT-019", "CHAT-024"],
    7,
    async (tools) => {
      for (const temperature of [0, 2, 0.7, 1.999]) {
        await tools.send(chatRequest(tools.manifest, `temperature-${temperature}`, { temperature }));
      }
      for (const value of [0.1, 0.9, 1]) {
        await tools.send(chatRequest(tools.manifest, `top-p-${value}`, { top_p: value }));
      }
    },
  ),
  chatCase("efforts", "Takes the three reasoning efforts", ["CHAT-033", "CHAT-034", "CHAT-035"], 3, async (tools) => {
    for (const effort of ["low", "medium", "high"]) {
      await tools.send(chatRequest(tools.manifest, effort, { reasoning_effort: effort }));
    }
  }),
  chatCase("stream-off", "Answers with one object when stream is false", ["CHAT-011"], 1, async (tools) => {
    await tools.send(chatRequest(tools.manifest, "stream-false", { stream: false }));
  }),
  chatCase("max-tokens", "Keeps the completion within max_tokens", ["CHAT-028", "CHAT-029"], 3, async (tools) => {
    const messages = [{ role: "user", content: longPrompt }];
    for (const tokens of [1, 5, 16]) {
      await tools.send(chatRequest(tools.manifest, `max-tokens-${tokens}`, { messages, max_tokens: tokens }));
    }
  }),
  chatCase(
    "natural-end",
    "Says stop when the completion ends by itself",
    ["CMPL-016", "CMPL-017"],
    1,
    async (tools) => {
      const messages = [{ role: "user", content: "Answer with the single word yes." }];
      await tools.send(chatRequest(tools.manifest, naturalEndLabel, { messages, max_tokens: 512 }));
    },
    600,
  ),
  chatCase("longer-prompt", "Counts no fewer tokens for a longer prompt", ["CMPL-023"], 2, async (tools) => {
    const text = "The train leaves at nine and arrives at noon. ";
    await tools.send(chatRequest(tools.manifest, promptLabels.once, { messages: [{ role: "user", content: text }] }));
    await tools.send(chatRequest(tools.manifest, promptLabels.doubled, { messages: [{ role: "user", content: text + text }] }));
  }),
  chatCase("text", "Takes text outside ASCII, raw and escaped", ["REQ-004"], 2, async (tools) => {
    const value = chatMembers(tools.manifest, { messages: [{ role: "user", content: "Grüße, שלום, 你好, e\u0301, 🚀" }] });
    await tools.send(jsonRequest("chat", "raw", value));
    const escaped = JSON.stringify(value).replaceAll(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    await tools.send({
      endpoint: "chat",
      label: "escaped",
      body: { kind: "raw", bytes: escaped, contentType: "application/json" },
    });
  }),
  {
    ...chatCase("no-tools", "Takes an empty list of tools", ["CHAT-014"], 1, async (tools) => {
      await tools.send(chatRequest(tools.manifest, "empty-tools", { tools: [] }));
    }),
    needs: [...needs, { kind: "feature", name: "tools" }],
  },
];

const hugeLimit = 65_536;

const probes: readonly Case[] = [
  chatCase(
    "unstated-values",
    "Records the answers to values without a stated rule",
    ["CHAT-005", "CHAT-008", "CHAT-026", "CHAT-031", "CHAT-032"],
    8,
    async (tools) => {
      const ask = async (label: string, requirement: string, text: string, members: Members): Promise<void> => {
        await tools.send(chatRequest(tools.manifest, label, members, question(requirement, text)));
      };
      const { embedding } = tools.manifest.models;
      if (embedding !== null) await ask("other-model", "CHAT-005", "an embedding model for chat", { model: embedding });
      await ask("no-messages", "CHAT-008", "an empty list of messages", { messages: [] });
      for (const value of [-0.1, 0, 1.1]) await ask(`top-p-${value}`, "CHAT-026", `top_p ${value}`, { top_p: value });
      for (const value of [0, -1]) await ask(`max-tokens-${value}`, "CHAT-031", `max_tokens ${value}`, { max_tokens: value });
      // Many times what models write, and a worst case that fits the budget of the manifest which assay init writes.
      await ask("max-tokens-huge", "CHAT-032", `max_tokens ${hugeLimit}`, { max_tokens: hugeLimit });
    },
    1024 + hugeLimit / 8,
  ),
  chatCase(
    "null-members",
    "Records the answers to null for optional members",
    ["CHAT-039"],
    6,
    async (tools) => {
      for (const member of ["stream", "tools", "temperature", "top_p", "max_tokens", "reasoning_effort"]) {
        await tools.send(
          chatRequest(tools.manifest, `null-${member}`, { [member]: null }, question("CHAT-039", `${member}: null`)),
        );
      }
    },
    shortChatTokens,
  ),
  chatCase("content-parts", "Records the answer to a list as content", ["MSG-010"], 2, async (tools) => {
    const parts = [{ role: "user", content: [{ type: "text", text: "Say hello." }] }];
    await tools.send(
      chatRequest(tools.manifest, "parts", { messages: parts }, question("MSG-010", "a list of text parts as content")),
    );
    const result = [
      { role: "user", content: "What time is it?" },
      { role: "tool", tool_call_id: "call_1", content: "noon" },
    ];
    await tools.send(
      chatRequest(tools.manifest, "tool-result", { messages: result }, question("MSG-010", "a message with role tool")),
    );
  }),
];

/** Section "POST /v1/chat/completions", answers in one piece. */
export const chatCases: readonly Case[] = [...positives, ...negativeCases(chatNegatives, chatFields), malformedBodies, ...probes];
