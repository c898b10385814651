import { refusedAlikeLabels } from "../src/conformance/judges/stream/refused-alike.ts";
import type { Case, Need } from "../src/conformance/plan/case.ts";
import { chatRequest, shortChatTokens } from "./requests/chat-request.ts";
import { violates } from "./requests/intents.ts";

const needs: readonly Need[] = [
  { kind: "model", use: "chat" },
  { kind: "feature", name: "stream" },
];

function streamCase(
  id: string,
  title: string,
  covers: readonly string[],
  {
    requests,
    refused = 0,
    long = 0,
    tokens,
    run,
  }: { requests: number; refused?: number; long?: number; tokens: number; run: Case["run"] },
): Case {
  const cost = { requests: { chat: requests }, refused: { chat: refused }, long: { chat: long }, tokens };
  return { id: `stream/${id}`, suite: "stream", title, covers, needs, cost, run };
}

/** Section "Events": the event stream itself; the shape of its payload belongs to the overlay. */
export const streamCases: readonly Case[] = [
  streamCase(
    "short",
    "Streams a short answer",
    [
      "CHAT-010",
      "STRM-001",
      "STRM-002",
      "STRM-003",
      "STRM-004",
      "STRM-005",
      "STRM-006",
      "STRM-007",
      "STRM-009",
      "STRM-014",
      "RATE-041",
    ],
    {
      requests: 1,
      tokens: shortChatTokens,
      run: async ({ send, manifest }) => {
        await send(chatRequest(manifest, "stream", { stream: true }));
      },
    },
  ),
  streamCase("long", "Delivers a long answer while it is made", ["STRM-008"], {
    requests: 1,
    long: 1,
    tokens: 512,
    run: async ({ send, manifest }) => {
      const messages = [{ role: "user", content: "Count from one to two hundred in words." }];
      await send(chatRequest(manifest, "long-stream", { stream: true, messages, max_tokens: 384 }));
    },
  }),
  streamCase("text", "Streams text outside ASCII", ["STRM-002"], {
    requests: 1,
    tokens: 160,
    run: async ({ send, manifest }) => {
      const messages = [{ role: "user", content: "Repeat exactly: Grüße 你好 🚀 e\u0301" }];
      await send(chatRequest(manifest, "unicode-stream", { stream: true, messages, max_tokens: 96 }));
    },
  }),
  streamCase("invalid", "Refuses an invalid request before a stream begins", ["STRM-010"], {
    requests: 2,
    refused: 1,
    tokens: 2 * shortChatTokens,
    run: async ({ send, manifest }) => {
      await send(chatRequest(manifest, "twin", { stream: true, temperature: 2 }));
      const intent = violates("STRM-010", "out-of-range", { field: "temperature" });
      await send(chatRequest(manifest, "too-hot", { stream: true, temperature: 3 }, intent));
    },
  }),
  streamCase("unknown-model", "Refuses an unknown model in the same way with a stream and without", ["STRM-017"], {
    requests: 3,
    refused: 2,
    tokens: 3 * shortChatTokens,
    run: async ({ send, manifest }) => {
      await send(chatRequest(manifest, "twin", { stream: true }));
      for (const [label, more] of [
        [refusedAlikeLabels.plain, {}],
        [refusedAlikeLabels.streamed, { stream: true }],
      ] as const) {
        const members = { model: "assay-no-such-model-7f3a", ...more };
        await send(chatRequest(manifest, label, members, violates("CHAT-004", "unknown-model", { field: "model" })));
      }
    },
  }),
  streamCase("unauthenticated", "Asks for credentials before a stream begins", ["STRM-011"], {
    requests: 2,
    refused: 1,
    tokens: shortChatTokens,
    run: async ({ send, manifest }) => {
      await send(chatRequest(manifest, "twin", { stream: true }));
      const intent = violates("STRM-011", "no-credentials");
      const credential = { kind: "none" } as const;
      await send({ ...chatRequest(manifest, "no-credentials", { stream: true }, intent), credential });
    },
  }),
];
