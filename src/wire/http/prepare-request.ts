import { headerSecretName } from "../../core/exchange/headers/header-secret-name.ts";
import { isSecretHeader } from "../../core/exchange/headers/secret-header.ts";
import type { RecordedBody, RecordedRequest } from "../../core/exchange/exchange.ts";
import type { HeaderList } from "../../core/exchange/headers/header-list.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { BoundaryForm, SendBody, SendRequest } from "../../core/exchange/send-request.ts";
import { authorizationField } from "../redaction/credential.ts";
import type { Redactor } from "../redaction/redaction.ts";
import { parseHttpUrl } from "./target-url.ts";
import { randomBytes } from "node:crypto";

/** A request as it goes out, and as it is recorded. */
export interface PreparedRequest {
  readonly origin: URL;
  /** Whether it goes to another place than the target: no credential, no headers of the manifest. */
  readonly foreign: boolean;
  readonly path: string;
  readonly fields: PreparedFields;
  readonly body: Buffer | null;
  readonly record: RecordedRequest;
}

export interface PrepareContext {
  readonly baseUrl: URL;
  readonly manifest: Pick<Manifest, "keys" | "target" | "secrets">;
  readonly redactor: Redactor;
  recordBody(bytes: Buffer, request: SendRequest): RecordedBody;
}

/** Header fields as they go out and as they are recorded. */
export interface PreparedFields {
  /** Names and values in turn, as undici takes them. */
  readonly sent: string[];
  readonly shown: HeaderList;
  /** As lines of a request head; written by the client that needs them, once. */
  lines: string | null;
  /** The first of them, which other requests have, too, and the others; absent: all are its own. */
  readonly parts?: { readonly common: PreparedFields; readonly own: readonly string[] };
}

const fieldsKept = 16;

/** Makes requests ready to go out. Keeps the header fields of common requests, which are the same again and again. */
export function createRequestPreparer(context: PrepareContext): (request: SendRequest) => PreparedRequest {
  const prefix = context.baseUrl.pathname.replace(/\/+$/, "");
  const kept: { readonly key: string; readonly contentType: string | null; readonly fields: PreparedFields }[] = [];

  const headersOf = (request: SendRequest, contentType: string | null, foreign: boolean): PreparedFields => {
    const { credential } = request;
    if (foreign || credential.kind !== "bearer" || request.body?.kind === "multipart")
      return buildHeaders(request, contentType, foreign, context);
    const common = commonFields(request, credential.key, contentType);
    if (request.headers === undefined) return common;
    return addFields(common, request.headers, context) ?? buildHeaders(request, contentType, foreign, context);
  };

  /** The fields that all requests with this key and type of content have. */
  const commonFields = (request: SendRequest, key: string, contentType: string | null): PreparedFields => {
    for (const one of kept) if (one.contentType === contentType && one.key === key) return one.fields;
    const { headers: _own, ...rest } = request;
    const fields = buildHeaders(rest, contentType, false, context);
    // The one that was made last is the likeliest to be asked for next; no run has many keys.
    kept.unshift({ key, contentType, fields });
    kept.length = Math.min(kept.length, fieldsKept);
    return fields;
  };

  /** Throws for a key that the manifest does not hold; a URL that may not be requested throws a TransportError. */
  return (request) => {
    const foreign = !request.path.startsWith("/") && /^https?:\/\//i.test(request.path);
    const origin = foreign ? parseHttpUrl(request.path) : context.baseUrl;
    const encoded = request.body ? encodeBody(request.body) : null;
    const headers = headersOf(request, encoded?.contentType ?? null, foreign);
    return {
      origin,
      foreign,
      path: foreign ? `${origin.pathname}${origin.search}` : `${prefix}${request.path.startsWith("/") ? "" : "/"}${request.path}`,
      fields: headers,
      body: encoded?.bytes ?? null,
      record: {
        method: request.method,
        path: context.redactor.mask(request.path),
        headers: headers.shown,
        body: encoded ? context.recordBody(encoded.bytes, request) : null,
      },
    };
  };
}

/** Common fields and those of one request, such as the session of a conversation; null where one takes the place of another. */
function addFields(
  common: PreparedFields,
  headers: NonNullable<SendRequest["headers"]>,
  { redactor }: PrepareContext,
): PreparedFields | null {
  const pairs = Object.entries(headers);
  for (const [place, [name]] of pairs.entries()) {
    const lower = name.toLowerCase();
    const isTaken = (other: string): boolean => other.length === lower.length && other.toLowerCase() === lower;
    if (lower === "host" || common.shown.some(([other]) => isTaken(other))) return null;
    if (pairs.slice(0, place).some(([other]) => isTaken(other))) return null;
  }
  const own = pairs.flat();
  return {
    sent: [...common.sent, ...own],
    shown: [...common.shown, ...pairs.map(([name, value]): HeaderList[number] => [name, redactor.mask(value)])],
    lines: null,
    parts: { common, own },
  };
}

function buildHeaders(
  request: SendRequest,
  contentType: string | null,
  foreign: boolean,
  context: PrepareContext,
): PreparedFields {
  const fields = new Map<string, { readonly name: string; readonly value: string; readonly shown?: string }>();
  const set = (name: string, value: string, shown?: string): void => {
    fields.set(name.toLowerCase(), shown === undefined ? { name, value } : { name, value, shown });
  };
  set("user-agent", "assay");
  set("accept", "*/*");
  // Compressed streams would hide when an event arrived and cost time to decode.
  set("accept-encoding", "identity");
  if (contentType !== null) set("content-type", contentType);
  if (!foreign) {
    const { target, secrets = [] } = context.manifest;
    for (const [name, value] of Object.entries(target.headers)) {
      // One that was named on the command line is secret, however short.
      const isNamedSecret = secrets.some((secret) => secret.name === headerSecretName(name));
      if (isNamedSecret || isSecretHeader(name, value)) set(name, value, shownInPlaceOf(name, value, context));
      else set(name, value);
    }
    const authorization = authorizationField(request.credential, (key) => secretOf(context.manifest, key));
    if (authorization) set(authorization.name, authorization.value, authorization.shown);
  }
  for (const [name, value] of Object.entries(request.headers ?? {})) set(name, value);
  return {
    sent: [...fields.values()].flatMap(({ name, value }) => [name, value]),
    shown: [...fields.values()].map(({ name, value, shown }) => [name, shown ?? context.redactor.mask(value)]),
    lines: null,
  };
}

/** The masked value; a value that is too short to be found in texts is known here, where it stands alone. */
function shownInPlaceOf(name: string, value: string, { redactor }: PrepareContext): string {
  const masked = redactor.mask(value);
  return masked === value ? `<${headerSecretName(name)}>` : masked;
}

function secretOf(manifest: Pick<Manifest, "keys">, name: string): string {
  const key = manifest.keys[name];
  if (!key) throw new Error(`a request names the key "${name}", which the manifest does not hold`);
  return key.secret;
}

function encodeBody(body: SendBody): { readonly contentType: string | null; readonly bytes: Buffer } {
  if (body.kind === "multipart") return encodeMultipart(body);
  if (body.kind === "json") return { contentType: "application/json", bytes: Buffer.from(JSON.stringify(body.value)) };
  const bytes =
    typeof body.bytes === "string"
      ? Buffer.from(body.bytes)
      : Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength);
  return { contentType: body.contentType, bytes };
}

/** A multipart/form-data body (RFC 7578) with the encoding of names that browsers use (WHATWG HTML, section 4.10.21.8). */
function encodeMultipart({ parts, boundary: form }: MultipartBody): { readonly contentType: string; readonly bytes: Buffer } {
  const contents = parts.map((part) => (typeof part.value === "string" ? Buffer.from(part.value) : Buffer.from(part.value)));
  const boundary = pickBoundary(contents, form);
  const pieces: Buffer[] = [];
  for (const [index, part] of parts.entries()) {
    let head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeParameter(part.name)}"`;
    if (part.filename !== undefined) head += `; filename="${escapeParameter(part.filename)}"`;
    const contentType = part.contentType ?? (part.filename === undefined ? null : "application/octet-stream");
    if (contentType !== null) head += `\r\nContent-Type: ${contentType}`;
    pieces.push(Buffer.from(`${head}\r\n\r\n`), contents[index] ?? Buffer.alloc(0), lineEnd);
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  const written = form === "quoted" || form === "all-characters" ? `"${boundary}"` : boundary;
  return { contentType: `multipart/form-data; boundary=${written}`, bytes: Buffer.concat(pieces) };
}

type MultipartBody = Extract<SendBody, { readonly kind: "multipart" }>;

const lineEnd = Buffer.of(13, 10);

/** The end of a boundary, behind its random part: RFC 2046, section 5.1.1, permits these characters, and 70 of them. */
const boundaryTails: Readonly<Record<BoundaryForm, string>> = {
  quoted: "",
  "all-characters": "'()+_,-./:=? end",
  longest: "x".repeat(70 - "assay-".length - 24),
};

function pickBoundary(contents: readonly Buffer[], form: BoundaryForm | undefined): string {
  for (;;) {
    const tail = form === undefined ? "" : boundaryTails[form];
    const boundary = `assay-${randomBytes(12).toString("hex")}${tail}`;
    if (!contents.some((content) => content.includes(boundary))) return boundary;
  }
}

function escapeParameter(value: string): string {
  return value.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
