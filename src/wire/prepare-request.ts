import type { RecordedBody, RecordedRequest } from "../core/exchange.ts";
import type { HeaderList } from "../core/header-list.ts";
import type { Manifest } from "../core/manifest.ts";
import type { SendBody, SendRequest } from "../core/send-request.ts";
import { authorizationField } from "./credential.ts";
import { encodeMultipart } from "./multipart.ts";
import type { Redactor } from "./redaction.ts";
import { joinTarget, parseHttpUrl } from "./target-url.ts";

/** A request as it goes out, and as it is recorded. */
export interface PreparedRequest {
  readonly origin: URL;
  /** Whether it goes to another place than the target: no credential, no headers of the manifest. */
  readonly foreign: boolean;
  readonly path: string;
  /** Names and values in turn, as undici takes them. */
  readonly headers: string[];
  readonly body: Buffer | null;
  readonly record: RecordedRequest;
}

export interface PrepareContext {
  readonly baseUrl: URL;
  readonly manifest: Pick<Manifest, "keys" | "target">;
  readonly redactor: Redactor;
  readonly userAgent: string;
  recordBody(bytes: Buffer): RecordedBody;
}

/** Throws for a key that the manifest does not hold; a URL that may not be requested throws a TransportError. */
export function prepareRequest(request: SendRequest, context: PrepareContext): PreparedRequest {
  const foreign = /^https?:\/\//i.test(request.path);
  const target = foreign ? parseHttpUrl(request.path) : context.baseUrl;
  const path = foreign ? `${target.pathname}${target.search}` : joinTarget(context.baseUrl, request.path);
  const encoded = request.body ? encodeBody(request.body) : null;
  const fields = new Map<string, { readonly name: string; readonly value: string; readonly shown?: string }>();
  const set = (name: string, value: string, shown?: string): void => {
    fields.set(name.toLowerCase(), shown === undefined ? { name, value } : { name, value, shown });
  };
  set("user-agent", context.userAgent);
  set("accept", "*/*");
  // Compressed streams would hide when an event arrived and cost time to decode.
  set("accept-encoding", "identity");
  if (encoded?.contentType) set("content-type", encoded.contentType);
  if (!foreign) {
    for (const [name, value] of Object.entries(context.manifest.target.headers)) set(name, value);
    const authorization = authorizationField(request.credential, (key) => secretOf(context.manifest, key));
    if (authorization) set(authorization.name, authorization.value, authorization.shown);
  }
  for (const [name, value] of Object.entries(request.headers ?? {})) set(name, value);

  const headers: string[] = [];
  const shown: HeaderList[number][] = [];
  for (const field of fields.values()) {
    headers.push(field.name, field.value);
    shown.push([field.name, field.shown ?? context.redactor.mask(field.value)]);
  }
  return {
    origin: target,
    foreign,
    path,
    headers,
    body: encoded?.bytes ?? null,
    record: {
      method: request.method,
      path: context.redactor.mask(request.path),
      headers: shown,
      body: encoded ? context.recordBody(encoded.bytes) : null,
    },
  };
}

function secretOf(manifest: Pick<Manifest, "keys">, name: string): string {
  const key = manifest.keys[name];
  if (!key) throw new Error(`a request names the key "${name}", which the manifest does not hold`);
  return key.secret;
}

function encodeBody(body: SendBody): { readonly contentType: string | null; readonly bytes: Buffer } {
  if (body.kind === "multipart") return encodeMultipart(body.parts);
  if (body.kind === "json") return { contentType: "application/json", bytes: Buffer.from(JSON.stringify(body.value)) };
  const bytes = typeof body.bytes === "string" ? Buffer.from(body.bytes) : asBuffer(body.bytes);
  return { contentType: body.contentType, bytes };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
