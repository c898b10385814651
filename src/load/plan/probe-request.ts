import type { Intent } from "../../core/exchange/intent.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { endpoints } from "../../core/exchange/endpoint.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { ProbeAsk } from "../../core/result/probe-result.ts";

export interface ProbeSubject {
  readonly manifest: Pick<Manifest, "models">;
  readonly profile: string;
  /** Name of its key. */
  readonly key: string;
}

/** One request of a probe. Its answer is held to what answers of a load are held to: a target that is busy may say so. */
export function probeRequest(ask: ProbeAsk, { manifest, profile, key }: ProbeSubject): SendRequest {
  const common = {
    stage: "load",
    caseId: `${profile}/probe`,
    label: ask,
    credential: { kind: "bearer", key },
  } as const;
  const load: Intent = { kind: "load", profile, phase: "measure" };
  if (ask === "models") return { ...common, intent: load, endpoint: "models", ...routeOf("models") };
  const chat = { ...common, endpoint: "chat", ...routeOf("chat") } as const;
  const request = { model: manifest.models.chat, max_tokens: 16 };
  const messages = [{ role: "user", content: "Say hello." }];
  switch (ask) {
    case "chat":
      return { ...chat, intent: load, body: { kind: "json", value: { ...request, messages } } };
    case "chat-stream":
      return { ...chat, intent: load, body: { kind: "json", value: { ...request, messages, stream: true } } };
    case "error": {
      const intent: Intent = {
        kind: "violates",
        requirement: "CHAT-006",
        condition: "missing-field",
        field: "messages",
        twin: null,
      };
      return { ...chat, intent, body: { kind: "json", value: request } };
    }
    default:
      return ask satisfies never;
  }
}

function routeOf(endpoint: "models" | "chat"): { readonly method: string; readonly path: string } {
  const { method, path } = endpoints[endpoint];
  return { method, path };
}
