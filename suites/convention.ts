import { cutOffLabel } from "../src/conformance/judges/convention/convention-tools.ts";
import type { Case, Need } from "../src/conformance/plan/case.ts";
import { casesOf } from "./cases-of.ts";
import { chatRequest, shortChatTokens } from "./requests/chat-request.ts";
import { question } from "./requests/intents.ts";

const chat: Need = { kind: "model", use: "chat" };
const stream: Need = { kind: "feature", name: "stream" };
const tools: Need = { kind: "feature", name: "tools" };

const weatherTool = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Current weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

/** The chat-completion convention that the specification names and does not show: an overlay with its own verdict. */
export const conventionCases: readonly Case[] = casesOf({ suite: "convention", needs: [chat] }, [
  {
    id: "convention/chunks",
    title: "Streams chunks of the usual shape",
    covers: ["XOAI-001", "XOAI-002", "XOAI-003", "XOAI-004", "XOAI-005", "XOAI-006", "SVC-013"],
    needs: [chat, stream],
    cost: { requests: { chat: 2 }, tokens: 2 * shortChatTokens },
    run: async ({ send, manifest }) => {
      await send(chatRequest(manifest, "chunks", { stream: true }));
      const usage = { stream: true, stream_options: { include_usage: true } };
      await send(chatRequest(manifest, "usage-chunk", usage, question("STRM-014", "stream_options.include_usage")));
    },
  },
  {
    id: "convention/cut-off",
    title: "Says length when max_tokens cuts the completion",
    covers: ["XOAI-008"],
    cost: { requests: { chat: 1 }, tokens: shortChatTokens },
    run: async ({ send, manifest }) => {
      const messages = [{ role: "user", content: "Write a long story of a lighthouse keeper." }];
      await send(chatRequest(manifest, cutOffLabel, { messages, max_tokens: 4 }));
    },
  },
  {
    id: "convention/tools",
    title: "Calls a function tool in the usual shape",
    covers: ["XOAI-007", "CHAT-016"],
    needs: [chat, tools],
    cost: { requests: { chat: 1 }, tokens: 256 },
    run: async ({ send, manifest }) => {
      const messages = [{ role: "user", content: "What is the weather in Oslo? Use the tool." }];
      const members = { messages, tools: [weatherTool], max_tokens: 128 };
      await send(chatRequest(manifest, "function-tool", members, question("XOAI-007", "a function tool")));
    },
  },
  {
    id: "convention/streamed-tools",
    title: "Streams a call of a function tool in pieces",
    covers: ["XOAI-007", "XOAI-008"],
    needs: [chat, tools, stream],
    cost: { requests: { chat: 1 }, tokens: 256 },
    run: async ({ send, manifest }) => {
      const messages = [{ role: "user", content: "What is the weather in Oslo? Use the tool." }];
      const members = { messages, tools: [weatherTool], max_tokens: 128, stream: true };
      await send(chatRequest(manifest, "streamed-tool", members, question("XOAI-007", "a function tool in a stream")));
    },
  },
]);
