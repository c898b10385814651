import type { Exchange } from "../../core/exchange/exchange.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";
import type { Credential, SendBody, SendRequest } from "../../core/exchange/send-request.ts";
import type { NamedSecret } from "../../core/named-secret.ts";
import { isGeneratedHeader } from "../verdict/generated-headers.ts";

/** The request of a recorded exchange; null where the record does not hold all of it. */
export function rebuildRequest(
  exchange: Exchange,
  signal: AbortSignal,
  secrets: readonly NamedSecret[] = [],
): SendRequest | null {
  const credential = rebuildCredential(exchange);
  const body = rebuildBody(exchange, secrets);
  const path = restoreValues(exchange.request.path, secrets);
  if (credential === null || body === null || path === null) return null;
  const { request, stage, caseId, label, intent, endpoint } = exchange;
  // The sender adds the credential, and fields of the manifest whose values are secret.
  const kept = request.headers.filter(
    ([name, value]) => !isGeneratedHeader(name) && name.toLowerCase() !== "authorization" && !/<(?:header|env):/.test(value),
  );
  return {
    stage,
    caseId,
    label,
    intent,
    endpoint,
    method: request.method,
    path,
    credential,
    headers: Object.fromEntries(kept),
    connection: "fresh",
    signal,
    ...(body === "none" ? {} : { body }),
  };
}

function rebuildCredential({ request }: Exchange): Credential | null {
  const [value] = headerValues(request.headers, "authorization");
  if (value === undefined) return { kind: "none" };
  const key = /^Bearer <key:([A-Za-z0-9_-]+)>$/.exec(value)?.[1];
  if (key !== undefined) return { kind: "bearer", key };
  return value.includes("<key:") ? null : { kind: "literal", value };
}

function rebuildBody({ request }: Exchange, secrets: readonly NamedSecret[]): SendBody | "none" | null {
  const { body } = request;
  if (body === null) return "none";
  if (body.truncated) return null;
  const [contentType] = headerValues(request.headers, "content-type");
  if (body.text !== undefined) {
    const text = restoreValues(body.text, secrets);
    return text === null ? null : { kind: "raw", bytes: text, contentType: contentType ?? null };
  }
  if (body.base64 === undefined) return null;
  const bytes = Uint8Array.from(atob(body.base64), (character) => character.charCodeAt(0));
  return { kind: "raw", bytes, contentType: contentType ?? null };
}

/**
 * A text of a record with the values of this environment in the place of their names; null if one is not known here. Credentials are
 * not known: the wire adds those of the manifest, and a record of somebody else must not move them to another place.
 */
function restoreValues(text: string, secrets: readonly NamedSecret[]): string | null {
  const restored = secrets
    .filter(({ isCredential }) => !isCredential)
    .reduce((shown, { value, name }) => shown.replaceAll(`<${name}>`, () => value), text);
  return /<env:[A-Za-z_]\w*>/.test(restored) ? null : restored;
}
