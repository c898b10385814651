import { request as httpRequest, type IncomingMessage } from "node:http";
import type { ReferenceService } from "../../../src/reference/start-reference-service.ts";

export interface Answered {
  readonly status: number;
  /** Names and values alternating, as received. */
  readonly rawHeaders: readonly string[];
  header(name: string): string | undefined;
  readonly text: string;
  /** Parsed body; throws when it is no JSON. */
  json(): Record<string, unknown>;
}

export interface Ask {
  readonly method?: string;
  /** Name of a key; null sends no credentials. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string or Buffer as it is. */
  readonly body?: unknown;
}

/** One request over a fresh connection, with everything that came back. */
export async function ask(service: ReferenceService, path: string, options: Ask = {}, giveUpMs?: number): Promise<Answered> {
  const response = await open(service, path, options, giveUpMs);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return {
    status: response.statusCode ?? 0,
    rawHeaders: response.rawHeaders,
    header: (name) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    text,
    json: () => JSON.parse(text) as Record<string, unknown>,
  };
}

/** The response as soon as its head is there. Rejects when the connection ends before, or when patience does. */
export function open(service: ReferenceService, path: string, options: Ask = {}, giveUpMs?: number): Promise<IncomingMessage> {
  const { key = "primary", headers = {}, body } = options;
  const payload =
    body === undefined ? undefined : typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${service.url}${path}`, {
      method: options.method ?? (payload === undefined ? "GET" : "POST"),
      agent: false,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${service.manifest.keys[key]?.secret ?? key}` }),
        ...(payload === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
        ...headers,
      },
    });
    outgoing.once("response", resolve);
    outgoing.once("error", reject);
    if (giveUpMs !== undefined) setTimeout(() => outgoing.destroy(new Error("gave up")), giveUpMs);
    outgoing.end(payload);
  });
}

/** One call of the control plane. */
export async function control(
  service: ReferenceService,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${service.controlUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.controlToken}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** A minimal chat body; members given replace or add. */
export function chatBody(members: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { model: "reference-chat", messages: [{ role: "user", content: "Hello" }], ...members };
}
