import type { Case, CaseRequest, Need } from "../src/conformance/plan/case.ts";
import { keptConnectionCase } from "../src/conformance/judges/wellformed/kept-connection.ts";
import { targetCheck } from "../src/conformance/send/check-target.ts";
import { casesOf } from "./cases-of.ts";
import { otherNotations } from "./credentials/other-notations.ts";
import { chatMembers, chatRequest, shortChatTokens } from "./requests/chat-request.ts";
import { credentialCases } from "./credentials/core-credentials.ts";
import { afterContinue, inChunks } from "./requests/framings.ts";
import { question, violates } from "./requests/intents.ts";
import { jsonRequest } from "./requests/json-request.ts";

const chat: readonly Need[] = [{ kind: "model", use: "chat" }];

/** Requests over one connection, and the pause before each, in which the end of it would be seen. */
const keptRequests = 32;
const pauseMs = 40;
/** No other case names it. */
const keptConnectionNumber = 25;

const ordinary: readonly Case[] = casesOf({ suite: "core", needs: chat }, [
  {
    id: "core/media-types",
    title: "Takes JSON by its media type and records others",
    covers: ["REQ-001", "REQ-002", "REQ-003"],
    cost: { requests: { chat: 4 }, tokens: 4 * shortChatTokens },
    async run({ send, manifest }) {
      const bytes = JSON.stringify(chatMembers(manifest));
      await send({ endpoint: "chat", label: "json", body: { kind: "raw", bytes, contentType: "application/json" } });
      await send({
        endpoint: "chat",
        label: "charset",
        body: { kind: "raw", bytes, contentType: "application/json; charset=utf-8" },
      });
      for (const [label, contentType] of [
        ["no-type", null],
        ["text", "text/plain"],
      ] as const) {
        const intent = question("REQ-003", contentType === null ? "no Content-Type" : `Content-Type: ${contentType}`);
        await send({ endpoint: "chat", label, body: { kind: "raw", bytes, contentType }, intent });
      }
    },
  },
  {
    id: "core/body-framing",
    title: "Reads a body whose length is stated, in chunks, and after 100 Continue",
    covers: ["REQ-006", "REQ-007"],
    cost: { requests: { chat: 3 }, tokens: 3 * shortChatTokens },
    async run({ send, manifest }) {
      // Beside each other: where the finding is sent again, the first one shows that the operation works.
      await send(chatRequest(manifest, "length"));
      await send({ ...chatRequest(manifest, "chunked"), headers: inChunks });
      await send({ ...chatRequest(manifest, "expect-continue"), headers: afterContinue });
    },
  },
  {
    id: "core/several-mistakes",
    title: "Lists every failing field of a request",
    covers: ["ERR-005", "ERR-006", "ERR-007"],
    cost: { requests: { chat: 2 }, tokens: 2 * shortChatTokens },
    async run({ send, manifest }) {
      await send(chatRequest(manifest, "twin", { temperature: 1, reasoning_effort: "low" }));
      await send(
        chatRequest(
          manifest,
          "two-bad-fields",
          { temperature: 3, reasoning_effort: "extreme" },
          violates("ERR-006", "out-of-range", { field: "temperature", fields: ["reasoning_effort"] }),
        ),
      );
    },
  },
  {
    id: "core/repeated-mistake",
    title: "Gives one condition one code",
    covers: ["ERR-003"],
    cost: { requests: { chat: 4 }, tokens: 4 * shortChatTokens },
    async run({ send, manifest }) {
      await send(chatRequest(manifest, "twin", { temperature: 2 }));
      for (const attempt of [1, 2, 3]) {
        const intent = violates("CHAT-021", "out-of-range", { field: "temperature" });
        await send(chatRequest(manifest, `too-hot-${attempt}`, { temperature: 2.5 }, intent));
      }
    },
  },
  {
    id: "core/unknown-members",
    title: "Records the answer to members that nobody specified",
    covers: ["SVC-017"],
    cost: { requests: { chat: 1 }, tokens: shortChatTokens },
    async run({ send, manifest }) {
      const members = { ...chatMembers(manifest), x_unknown: 1 };
      await send(jsonRequest("chat", "unknown-member", members, question("SVC-017", "an unknown member in the request")));
    },
  },
  {
    id: keptConnectionCase,
    title: "Answers many requests over one connection",
    covers: ["SVC-025"],
    needs: [],
    cost: { requests: { models: keptRequests, chat: keptRequests / 2 }, tokens: (keptRequests / 2) * shortChatTokens },
    async run({ send, sleep, manifest }) {
      for (let place = 1; place <= keptRequests; place += 1) {
        const label = String(place);
        const request: CaseRequest =
          place % 2 === 0 && manifest.models.chat !== null ? chatRequest(manifest, label) : { endpoint: "models", label };
        await send({ ...request, connection: keptConnectionNumber });
        await sleep(pauseMs);
      }
    },
  },
  {
    id: "core/other-routes",
    title: "Records the answers to routes and methods that nobody specified",
    covers: ["SVC-018", "VER-001", "VER-002"],
    needs: [],
    cost: { requests: { other: 3, models: 1 }, tokens: 0 },
    async run({ send }) {
      await send({ endpoint: "models", label: "with-version" });
      const probe = async (label: string, requirement: string, method: string, path: string): Promise<void> => {
        await send({ endpoint: null, label, method, path, intent: question(requirement, `${method} ${path}`) });
      };
      await probe("wrong-method", "SVC-018", "GET", "/v1/chat/completions");
      await probe("unknown-route", "SVC-018", "POST", "/v1/nope");
      await probe("without-version", "VER-002", "GET", "/models");
    },
  },
]);

/** Cases for every operation: credentials, media types, errors, routes. */
export const coreCases: readonly Case[] = [targetCheck, ...credentialCases, otherNotations, ...ordinary];
