import type { Case, CaseRequest, CaseTools } from "../../src/conformance/plan/case.ts";
import { isOperationDeclared } from "../../src/core/is-operation-declared.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { Random } from "../../src/core/random.ts";
import type { Credential, Distortion } from "../../src/core/exchange/send-request.ts";
import { casesOf } from "../cases-of.ts";
import { chatRequest } from "../requests/chat-request.ts";
import { type SpecifiedEndpoint, specifiedEndpoints } from "../../src/core/exchange/endpoint.ts";
import { plainRequest } from "../requests/core-requests.ts";
import { afterContinue, inChunks } from "../requests/framings.ts";
import { question, violates } from "../requests/intents.ts";
import { jsonRequest } from "../requests/json-request.ts";

function credentialCase(
  id: string,
  title: string,
  covers: readonly string[],
  requests: number,
  run: (tools: CaseTools) => Promise<void>,
): Case {
  const cost = { requests: { models: requests }, tokens: 0 };
  return { id: `core/${id}`, suite: "core", title, covers, needs: [], cost, run };
}

/** GET /v1/models with the primary key, presented otherwise. */
async function sendDistorted(tools: CaseTools, how: Distortion, intent?: Intent): Promise<void> {
  const credential: Credential = { kind: "distorted", key: "primary", how };
  await tools.send({ endpoint: "models", label: how, credential, intent });
}

function randomToken(random: Random): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from({ length: 40 }, () => letters[random.integer(0, letters.length - 1)]).join("");
}

/** Requests that are wrong in another respect as well, one for each status that a service might give first. */
function otherwiseWrong(manifest: Manifest): readonly CaseRequest[] {
  const settings = jsonRequest("key-settings", "settings-unknown-id", { burst_limit: "none" });
  const requests: readonly CaseRequest[] = [
    chatRequest(manifest, "chat-out-of-range", { temperature: 9 }),
    jsonRequest("chat", "chat-missing", { model: manifest.models.chat ?? "any" }),
    chatRequest(manifest, "chat-stream-out-of-range", { temperature: 9, stream: true }),
    chatRequest(manifest, "chat-unknown-model", { model: "assay-no-such-model" }),
    jsonRequest("embeddings", "embeddings-missing", { model: manifest.models.embedding ?? "any" }),
    jsonRequest("images", "images-out-of-range", { prompt: "a red circle", size: "3x3" }),
    { endpoint: "usage", label: "usage-missing", path: "/v1/usage" },
    { ...settings, path: "/v1/keys/assay-no-such-key" },
  ];
  return requests.filter(({ endpoint }) => endpoint === null || isOperationDeclared(endpoint, manifest));
}

/** Keys whose own requests are refused otherwise, and where: 402, 429 at a cap, 403. */
const refusedOtherwise: readonly (readonly [key: string, endpoint: SpecifiedEndpoint])[] = [
  ["pastDue", "chat"],
  ["noCredit", "images"],
  ["exhausted", "chat"],
  ["readOnly", "key-settings"],
];

/** A valid key with something else in it, behind it, before it or around it. */
const notTheKey: readonly Distortion[] = [
  "last-character-changed",
  "cut",
  "appended",
  "case-swapped",
  "text-after-space",
  "text-after-tab",
  "text-after-comma",
  "text-after-semicolon",
  "text-before",
  "twice",
  "in-quotes",
];

/** Section "Authentication": how a key is presented and what is refused. */
export const credentialCases: readonly Case[] = casesOf({ suite: "core" }, [
  {
    id: "core/no-credentials",
    title: "Asks for credentials on every operation",
    covers: ["AUTH-002", "SVC-010", "AUTH-026", "AUTH-027", "AUTH-029", "ERR-013"],
    cost: {
      requests: Object.fromEntries(specifiedEndpoints.map((endpoint) => [endpoint, 1])),
      tokens: 128,
      images: 1,
      audioSeconds: 1,
    },
    async run(tools) {
      for (const endpoint of specifiedEndpoints.filter((id) => isOperationDeclared(id, tools.manifest))) {
        const request: CaseRequest = {
          ...plainRequest(endpoint, tools.manifest, tools.wallMs()),
          label: endpoint,
          credential: { kind: "none" },
          intent: violates("AUTH-002", "no-credentials", { twin: null }),
        };
        const headers = endpoint === "chat" ? inChunks : endpoint === "embeddings" ? afterContinue : null;
        if (headers === null) {
          await tools.send(request);
          continue;
        }
        const { status } = await tools.send({ ...request, headers });
        // Refused for its framing, perhaps: with a length it can only be the key.
        if (status !== 401) await tools.send({ ...request, label: `${endpoint}-with-length` });
      }
    },
  },
  {
    id: "core/settings-without-credentials",
    title: "Asks for credentials before settings are changed",
    covers: ["KEY-022", "ACC-006"],
    cost: { requests: { "key-settings": 1, "account-settings": 1 }, tokens: 0 },
    async run(tools) {
      const credential: Credential = { kind: "none" };
      const intent = (row: string): Intent => violates(row, "no-credentials", { twin: null });
      // Nothing could change even if it were served: no such key, no such type.
      const path = `/v1/keys/assay-${randomToken(tools.random).slice(0, 16)}`;
      await tools.send({ ...jsonRequest("key-settings", "key", { burst_limit: 60 }, intent("KEY-022")), path, credential });
      const cap = { account_spend_cap: "none" };
      await tools.send({ ...jsonRequest("account-settings", "account", cap, intent("ACC-006")), credential });
    },
  },
  credentialCase(
    "credential-forms",
    "Wants the word Bearer and a space before the key",
    ["AUTH-001", "AUTH-003", "AUTH-004", "AUTH-005", "AUTH-006", "AUTH-011"],
    9,
    async (tools) => {
      await tools.send({ endpoint: "models", label: "twin" });
      await sendDistorted(tools, "no-scheme", violates("AUTH-003", "bad-credentials"));
      await sendDistorted(tools, "no-space", violates("AUTH-004", "bad-credentials"));
      await sendDistorted(tools, "basic-scheme", violates("AUTH-005", "bad-credentials"));
      await sendDistorted(tools, "basic-pair", violates("AUTH-005", "bad-credentials"));
      await sendDistorted(tools, "token-scheme", violates("AUTH-005", "bad-credentials"));
      for (const [label, value] of [
        ["empty-token", "Bearer "],
        ["scheme-alone", "Bearer"],
      ] as const) {
        const intent = violates("AUTH-006", "bad-credentials");
        await tools.send({ endpoint: "models", label, credential: { kind: "literal", value }, intent });
      }
      await sendDistorted(tools, "mixed-case-field-name");
    },
  ),
  credentialCase(
    "wrong-keys",
    "Refuses keys that are not exactly right",
    ["AUTH-007", "AUTH-008"],
    2 + notTheKey.length,
    async (tools) => {
      await tools.send({ endpoint: "models", label: "twin" });
      const value = `Bearer ${randomToken(tools.random)}`;
      const random = violates("AUTH-007", "bad-credentials");
      await tools.send({ endpoint: "models", label: "random", credential: { kind: "literal", value }, intent: random });
      for (const how of notTheKey) {
        await sendDistorted(tools, how, violates("AUTH-008", "bad-credentials"));
      }
    },
  ),
  credentialCase("credential-places", "Takes credentials from the Authorization field alone", ["AUTH-009"], 5, async (tools) => {
    await tools.send({ endpoint: "models", label: "twin" });
    const intent = violates("AUTH-009", "no-credentials");
    // Never the real key: addresses end up in logs.
    const path = `/v1/models?api_key=${randomToken(tools.random)}`;
    await tools.send({ endpoint: "models", label: "query", path, credential: { kind: "none" }, intent });
    for (const how of ["other-field", "api-key-field", "cookie"] as const) await sendDistorted(tools, how, intent);
  }),
  credentialCase("credential-variants", "Records unusual spellings of the scheme", ["AUTH-010", "AUTH-012"], 2, async (tools) => {
    await sendDistorted(tools, "lower-case-scheme", question("AUTH-010", "bearer in lower case"));
    await sendDistorted(tools, "two-spaces", question("AUTH-012", "two spaces after Bearer"));
  }),
  credentialCase("credential-each-time", "Asks for credentials again on the same connection", ["AUTH-032"], 2, async (tools) => {
    await tools.send({ endpoint: "models", label: "twin", connection: 1 });
    const intent = violates("AUTH-032", "no-credentials");
    await tools.send({ endpoint: "models", label: "without", connection: 1, credential: { kind: "none" }, intent });
  }),
  {
    id: "core/credentials-come-first",
    title: "Asks for credentials before anything else is looked at",
    covers: ["AUTH-028"],
    cost: {
      requests: { chat: 8, embeddings: 2, images: 2, usage: 2, "key-settings": 2 },
      tokens: 512,
    },
    async run(tools) {
      const token = `Bearer ${randomToken(tools.random)}`;
      for (const [name, credential, condition] of [
        ["no-key", { kind: "none" }, "no-credentials"],
        ["bad-key", { kind: "literal", value: token }, "bad-credentials"],
      ] as const) {
        for (const request of otherwiseWrong(tools.manifest)) {
          const intent = violates("AUTH-028", condition, { twin: null });
          await tools.send({ ...request, label: `${name}-${request.label}`, credential, intent });
        }
      }
    },
  },
  {
    id: "core/almost-keys",
    title: "Asks for the whole key before it looks at the account",
    covers: ["AUTH-028"],
    cost: {
      requests: { chat: 2, images: 1, "key-settings": 1 },
      tokens: 256,
    },
    async run(tools) {
      const { manifest } = tools;
      const asked = refusedOtherwise.filter(
        ([name, id]) => manifest.keys[name] !== undefined && isOperationDeclared(id, manifest),
      );
      for (const [key, endpoint] of asked) {
        await tools.send({
          ...plainRequest(endpoint, tools.manifest, tools.wallMs()),
          label: key,
          credential: { kind: "distorted", key, how: "last-character-changed" },
          intent: violates("AUTH-028", "bad-credentials", { twin: null }),
        });
      }
    },
  },
  {
    ...credentialCase("no-key-creation", "Offers no way to create keys", ["AUTH-025"], 0, async (tools) => {
      const intent: Intent = { kind: "housekeeping", purpose: "see that keys cannot be created", answers: ["4xx"] };
      await tools.send({
        endpoint: null,
        label: "create-key",
        method: "POST",
        path: "/v1/keys",
        body: { kind: "json", value: {} },
        intent,
      });
    }),
    needs: [{ kind: "permission", name: "createKeyProbe" }],
    cost: { requests: { other: 1 }, tokens: 0 },
  },
]);
