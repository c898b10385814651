import { replacementPurpose } from "../../src/conformance/judges/auth/credential-acceptance.ts";
import type { Case, CaseCost, CaseTools } from "../../src/conformance/plan/case.ts";
import { specifiedEndpoints } from "../../src/core/exchange/endpoint.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { shortChatTokens } from "../requests/chat-request.ts";
import { declaredClasses, deadCredential, type EndpointClass, endpointClasses, requestOfClass } from "./credential-states.ts";
import { violates } from "../requests/intents.ts";

/** One request of each class, and another one to the path whose method is not stated. */
const everywhere: Readonly<Record<string, number>> = {
  ...Object.fromEntries(endpointClasses.filter((name) => name !== "chat-stream").map((name) => [name, 1])),
  chat: 2,
  verify: 2,
};
const costOfAll: CaseCost = {
  requests: everywhere,
  tokens: 2 * shortChatTokens,
  images: 1,
  audioSeconds: 1,
};

interface DeadKey {
  readonly state: "unknown" | "almost" | "expired" | "revoked" | "rotated";
  readonly requirement: string;
  readonly title: string;
}

/** A key that is no longer valid, or never was, presented to every class of endpoints. */
function deadKeyEverywhere({ state, requirement, title }: DeadKey): Case {
  const isFixture = state !== "unknown" && state !== "almost";
  // Beside a replaced key, whose row is a SHOULD, nothing binding is asked.
  const ofAgents = state === "rotated" ? requirement : "AUTH-028";
  return {
    id: isFixture ? `faults/${state}-key-everywhere` : `core/${state}-key-everywhere`,
    suite: isFixture ? "faults" : "core",
    title,
    covers: [...new Set([requirement, ofAgents, ...(state === "rotated" ? ["AUTH-038"] : [])])],
    needs: isFixture ? [{ kind: "key", name: state }] : [],
    cost: costOfAll,
    async run(tools) {
      const credential = deadCredential(state, tools.random.integer(100_000_000, 999_999_999));
      const send = async (name: EndpointClass, label: string, method?: string): Promise<number | null> => {
        const intent = violates(name === "agents" ? ofAgents : requirement, "bad-credentials", { twin: null });
        const request = requestOfClass(name, tools.manifest, tools.wallMs());
        const how = method === undefined ? {} : { method };
        return (await tools.send({ ...request, label, credential, intent, ...how })).status;
      };
      for (const name of declaredClasses(tools.manifest)) {
        const status = await send(name, name);
        // The specification does not state the method of the path.
        if (name === "verify" && status === 405) await send(name, "verify-post", "POST");
      }
    },
  };
}

const deadKeys: readonly DeadKey[] = [
  { state: "unknown", requirement: "AUTH-007", title: "Refuses an unknown key on every operation" },
  {
    state: "almost",
    requirement: "AUTH-008",
    title: "Refuses a key that is one character off on every operation",
  },
  { state: "expired", requirement: "AUTH-013", title: "Refuses an expired key on every operation" },
  { state: "revoked", requirement: "AUTH-014", title: "Refuses an already revoked key on every operation" },
  { state: "rotated", requirement: "AUTH-022", title: "Refuses a key that was rotated away on every operation" },
];

/** Classes that the manifest gives something to ask with: a model, where one is named. */
function paidClasses(manifest: Manifest): readonly EndpointClass[] {
  const { chat, embedding, transcription } = manifest.models;
  const models: Readonly<Partial<Record<EndpointClass, string | null>>> = {
    chat,
    "chat-stream": chat,
    embeddings: embedding,
    transcriptions: transcription,
  };
  return declaredClasses(manifest).filter((name) => models[name] !== null);
}

/** Any key of this kind may use them; the rest needs scopes that it may not have, or need not exist. */
const ordinary: ReadonlySet<EndpointClass> = new Set([
  "chat-stream",
  ...specifiedEndpoints.filter((name) => !name.endsWith("-settings")),
]);

/** A new key may take so long to take effect. */
const freshMs = 65_000;

const replacement: Case = {
  id: "faults/replacement-key-everywhere",
  suite: "faults",
  title: "Knows the key that replaced another one on every operation",
  covers: ["AUTH-036"],
  needs: [{ kind: "key", name: "replacement" }],
  cost: costOfAll,
  run: sendReplacement,
};

async function sendReplacement(tools: CaseTools): Promise<void> {
  const createdAtMs = tools.manifest.keys["replacement"]?.createdAtMs ?? null;
  if (createdAtMs !== null && tools.wallMs() < createdAtMs + freshMs) return;
  for (const name of paidClasses(tools.manifest)) {
    const answers = ["2xx", 400, 403, 404, 405, 422, 501] as const;
    const intent: Intent = ordinary.has(name)
      ? { kind: "valid" }
      : { kind: "housekeeping", purpose: replacementPurpose, answers };
    const request = requestOfClass(name, tools.manifest, tools.wallMs());
    await tools.send({ ...request, label: name, credential: { kind: "bearer", key: "replacement" }, intent });
  }
}

/** Each state of a key with each class of endpoints; `credentialStates` says where the others are asked, or why not. */
export const credentialCrossingCases: readonly Case[] = [...deadKeys.map(deadKeyEverywhere), replacement];
