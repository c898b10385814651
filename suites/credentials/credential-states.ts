import type { CaseRequest } from "../../src/conformance/plan/case.ts";
import { isOperationDeclared } from "../../src/core/is-operation-declared.ts";
import { type EndpointId, endpoints } from "../../src/core/exchange/endpoint.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { Credential } from "../../src/core/exchange/send-request.ts";
import { chatRequest } from "../requests/chat-request.ts";
import { plainRequest } from "../requests/core-requests.ts";

/** An operation, and streamed completions apart, which take another way through a service. */
export type EndpointClass = EndpointId | "chat-stream";

export const endpointClasses: readonly EndpointClass[] = [...(Object.keys(endpoints) as EndpointId[]), "chat-stream"];

/** A body from which no agent can be made. */
export const uselessBody = { kind: "json", value: [] } as const;

/** A request of this class that does no harm where it is served. */
export function requestOfClass(name: EndpointClass, manifest: Manifest, wallMs: number): Omit<CaseRequest, "label"> {
  if (name === "chat-stream") {
    const { label: _label, ...request } = chatRequest(manifest, "", { stream: true });
    return request;
  }
  if (name === "agents") return { endpoint: name, body: uselessBody };
  return name === "workspaces" || name === "verify" ? { endpoint: name } : plainRequest(name, manifest, wallMs);
}

/** Those that the manifest does not declare absent. */
export function declaredClasses(manifest: Manifest): readonly EndpointClass[] {
  return endpointClasses.filter((name) =>
    name === "chat-stream"
      ? manifest.features["stream"] !== false && isOperationDeclared("chat", manifest)
      : isOperationDeclared(name, manifest),
  );
}

type Reasons = Readonly<Partial<Record<EndpointClass, string>>>;

/** The credentials that a request can present, and why some classes are not asked with them. */
export interface CredentialState {
  readonly name: string;
  /** Whether this value of the Authorization field, as it is recorded, presents it. */
  readonly isPresented: (authorization: string | null) => boolean;
  readonly unasked: Reasons;
}

const isKey =
  (name: string) =>
  (authorization: string | null): boolean =>
    authorization === `Bearer <key:${name}>`;

/** A key without the scope of an operation, and what else it may be refused for there. */
const settings = (reason: string): Reasons => ({ "key-settings": reason, "account-settings": reason });
const named = (reason: string): Reasons => ({ agents: reason, workspaces: reason, verify: reason });
const isWriteOpen = "whether inference is a write is open (AMB-21): the answer to one completion is recorded";
const alsoLacksScope = "such a key lacks the scope of settings as well, and which of both is reported first is open";
const speaksOfDescribed = "the rows speak of the described operations, and a path that is only named need not exist (AMB-22)";

/** Every state of a credential; a test holds that each class of endpoints meets each of them or is listed here with its reason. */
export const credentialStates: readonly CredentialState[] = [
  { name: "none", isPresented: (authorization) => authorization === null, unasked: {} },
  {
    name: "unknown",
    isPresented: (authorization) => authorization !== null && /^Bearer [^<\s]+$/.test(authorization),
    unasked: {},
  },
  {
    name: "one character off",
    isPresented: (authorization) => authorization === "Bearer <key:primary:last-character-changed>",
    unasked: {},
  },
  { name: "expired", isPresented: isKey("expired"), unasked: {} },
  { name: "revoked", isPresented: isKey("revoked"), unasked: {} },
  { name: "rotated away", isPresented: isKey("rotated"), unasked: {} },
  { name: "new after a rotation", isPresented: isKey("replacement"), unasked: {} },
  {
    name: "read-only",
    isPresented: isKey("readOnly"),
    unasked: {
      "chat-stream": isWriteOpen,
      embeddings: isWriteOpen,
      images: isWriteOpen,
      transcriptions: isWriteOpen,
      workspaces: "which scope a listing of workspaces needs is open (AMB-21)",
      verify: "what the path does is open (AMB-22)",
    },
  },
  ...["pastDue", "noCredit"].map((name): CredentialState => ({
    name,
    isPresented: isKey(name),
    unasked: { "account-settings": alsoLacksScope, ...named(speaksOfDescribed) },
  })),
  {
    name: "at its cap",
    isPresented: isKey("exhausted"),
    unasked: { ...settings(alsoLacksScope), ...named(speaksOfDescribed) },
  },
];

/** Credentials of no valid key; `unknown` is drawn anew for each case. */
export function deadCredential(state: "unknown" | "almost" | "expired" | "revoked" | "rotated", drawn: number): Credential {
  if (state === "unknown") return { kind: "literal", value: `Bearer assay-${drawn}` };
  if (state === "almost") return { kind: "distorted", key: "primary", how: "last-character-changed" };
  return { kind: "bearer", key: state };
}
