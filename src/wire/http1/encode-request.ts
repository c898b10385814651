import type { SlotRequest } from "../http/slot-client.ts";
import type { PreparedFields } from "../http/prepare-request.ts";
import { TransportError } from "../http/transport-error.ts";

/** Fields that the client states itself, or that ask for what it does not do. */
const ownFields: ReadonlySet<string> = new Set([
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "upgrade",
  "expect",
]);
const bodyExpected: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/**
 * The bytes of a request (RFC 9112 section 3), as text of Latin-1 characters where it has no body. Throws a TransportError
 * for what HTTP cannot carry.
 */
export function encodeRequest({ method, path, fields, body }: SlotRequest, authority: string): string | Buffer {
  const lines = linesOf(fields, authority);
  if (/[^\x21-\xff]/.test(path)) throw new TransportError("other", "the request path has characters that HTTP does not allow");
  const head = `${method} ${path} HTTP/1.1\r\n${lines}`;
  if (body === null) return bodyExpected.has(method) ? `${head}content-length: 0\r\n\r\n` : `${head}\r\n`;
  const text = `${head}content-length: ${body.length}\r\n\r\n`;
  // One buffer is one write: two would be two segments.
  const bytes = Buffer.allocUnsafe(text.length + body.length);
  bytes.write(text, 0, "latin1");
  body.copy(bytes, text.length);
  return bytes;
}

/** Field lines, each part of them written once. */
function linesOf(fields: PreparedFields, authority: string): string {
  const { parts } = fields;
  fields.lines ??=
    parts === undefined
      ? firstLines(fields.sent, authority) + fieldLines(fields.sent)
      : linesOf(parts.common, authority) + fieldLines(parts.own);
  return fields.lines;
}

function firstLines(sent: readonly string[], authority: string): string {
  const host = sent.some((name, at) => at % 2 === 0 && name.toLowerCase() === "host") ? "" : `host: ${authority}\r\n`;
  return `${host}connection: keep-alive\r\n`;
}

function fieldLines(sent: readonly string[]): string {
  const lines: string[] = [];
  for (let at = 0; at + 1 < sent.length; at += 2) {
    const [name = "", value = ""] = sent.slice(at, at + 2);
    if (!/^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new TransportError("other", `the request field ${JSON.stringify(name)} has characters that HTTP does not allow`);
    }
    if (ownFields.has(name.toLowerCase())) {
      throw new TransportError("other", `the request field ${name} is not for others to state`);
    }
    lines.push(`${name}: ${value}\r\n`);
  }
  return lines.join("");
}
