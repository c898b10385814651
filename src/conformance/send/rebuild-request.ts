import type { Exchange } from "../../core/exchange/exchange.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";
import type { Credential, Distortion, SendBody, SendRequest } from "../../core/exchange/send-request.ts";
import type { NamedSecret } from "../../core/named-secret.ts";
import { acceptsCodings, isGeneratedHeader } from "../verdict/generated-headers.ts";

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
  const isAsked = (name: string): boolean =>
    !isGeneratedHeader(name) || (name.toLowerCase() === "accept-encoding" && acceptsCodings(request.headers));
  const kept = request.headers.filter(
    ([name, value]) => isAsked(name) && name.toLowerCase() !== "authorization" && !/<(?:header|env|key):/.test(value),
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

/** The form in which the record shows a key that is presented otherwise, by its field and the text around the key. */
const presentations: readonly (readonly [field: string, before: string, how: Distortion])[] = [
  ["authorization", "", "no-scheme"],
  ["authorization", "Bearer", "no-space"],
  ["authorization", "Basic ", "basic-scheme"],
  ["authorization", "Token ", "token-scheme"],
  ["authorization", "bearer ", "lower-case-scheme"],
  ["authorization", "Bearer  ", "two-spaces"],
  ["aUTHORIZATION", "Bearer ", "mixed-case-field-name"],
  ["x-api-key", "", "other-field"],
  ["api-key", "", "api-key-field"],
  ["cookie", "api_key=", "cookie"],
];
/** Changes of the key itself are named beside it: `<key:primary:cut>`. */
const namedChanges: ReadonlySet<string> = new Set([
  "last-character-changed",
  "cut",
  "appended",
  "case-swapped",
  "basic-pair",
  "text-after-space",
  "text-after-tab",
  "text-after-comma",
  "text-after-semicolon",
  "text-before",
  "twice",
  "in-quotes",
]);

function rebuildCredential({ request }: Exchange): Credential | null {
  for (const [name, value] of request.headers) {
    const shown = /^(.*)<key:([\w-]+)(?::([\w-]+))?>$/.exec(value);
    if (shown === null) continue;
    const [, before = "", key = "", change] = shown;
    if (change !== undefined) return namedChanges.has(change) ? { kind: "distorted", key, how: change as Distortion } : null;
    if (name.toLowerCase() === "authorization" && name !== "aUTHORIZATION" && before === "Bearer ")
      return { kind: "bearer", key };
    const how = presentations.find(([field, text]) => field === name && text === before)?.[2];
    return how === undefined ? null : { kind: "distorted", key, how };
  }
  const [value] = headerValues(request.headers, "authorization");
  if (value === undefined) return { kind: "none" };
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
