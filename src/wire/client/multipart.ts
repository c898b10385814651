import { randomBytes } from "node:crypto";
import type { MultipartPart } from "../../core/exchange/send-request.ts";

/** A multipart/form-data body (RFC 7578) with the encoding of names that browsers use (WHATWG HTML, section 4.10.21.8). */
export function encodeMultipart(parts: readonly MultipartPart[]): { readonly contentType: string; readonly bytes: Buffer } {
  const contents = parts.map((part) => (typeof part.value === "string" ? Buffer.from(part.value) : Buffer.from(part.value)));
  const boundary = pickBoundary(contents);
  const pieces: Buffer[] = [];
  for (const [index, part] of parts.entries()) {
    let head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeParameter(part.name)}"`;
    if (part.filename !== undefined) head += `; filename="${escapeParameter(part.filename)}"`;
    const contentType = part.contentType ?? (part.filename === undefined ? null : "application/octet-stream");
    if (contentType !== null) head += `\r\nContent-Type: ${contentType}`;
    pieces.push(Buffer.from(`${head}\r\n\r\n`), contents[index] ?? Buffer.alloc(0), lineEnd);
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(pieces) };
}

const lineEnd = Buffer.of(13, 10);

function pickBoundary(contents: readonly Buffer[]): string {
  for (;;) {
    const boundary = `assay-${randomBytes(12).toString("hex")}`;
    if (!contents.some((content) => content.includes(boundary))) return boundary;
  }
}

function escapeParameter(value: string): string {
  return value.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
