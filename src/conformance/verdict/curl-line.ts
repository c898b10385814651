import type { Exchange, RecordedBody } from "../../core/exchange/exchange.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";
import { statesFraming } from "../judging/is-framing-refusal.ts";
import { acceptsCodings, isGeneratedHeader } from "./generated-headers.ts";

const longestBody = 8_192;

/**
 * One shell line that sends the request again with `$ASSAY_API_KEY`, null where a line cannot reproduce it (a body that
 * was not kept, a key that was distorted). Every byte from a record is quoted: nothing in it is ever run by the shell.
 */
export function curlLine(exchange: Exchange, baseUrl: string): string | null {
  const { method, path, headers, body } = exchange.request;
  const url = /^https?:\/\//.test(path) ? path : `${baseUrl.replace(/\/+$/, "")}${path}`;
  const parts = ["curl", "-sS", "-i"];
  // Over TLS it would take HTTP/2, which has no chunks and hides what is judged.
  if (statesFraming(exchange)) parts.push("--http1.1");
  // It would resolve dot segments itself.
  if (/\/\.{1,2}(?:[/?]|$)/.test(url)) parts.push("--path-as-is");
  if (method !== "GET") parts.push("-X", quote(method));
  const multipart = headerValues(headers, "content-type").some((value) => value.startsWith("multipart/"));
  // Its own words for all codings that it can read.
  if (acceptsCodings(headers)) parts.push("--compressed");
  for (const [name, value] of headers) {
    if (isGeneratedHeader(name) || (multipart && name.toLowerCase() === "content-type")) continue;
    const quoted = quoteWithKeys(`${name}: ${value}`);
    if (quoted === null) return null;
    parts.push("-H", quoted);
  }
  const bodyParts = multipart ? formParts(body) : dataParts(body);
  if (bodyParts === null) return null;
  const address = quoteWithKeys(url);
  return address === null ? null : [...parts, ...bodyParts, address].join(" ");
}

function dataParts(body: RecordedBody | null): readonly string[] | null {
  if (body === null) return [];
  if (body.truncated || body.text === undefined || body.text.length > longestBody) return null;
  const quoted = quoteWithKeys(body.text);
  return quoted === null ? null : ["--data-binary", quoted];
}

/** Form fields as they were; a file is named after what was sent and has to be supplied by the reader. */
function formParts(body: RecordedBody | null): readonly string[] | null {
  if (body === null) return [];
  const text = body.text ?? (body.base64 === undefined ? null : atob(body.base64));
  if (text === null) return null;
  const parts: string[] = [];
  const boundary = /^--([^\r\n]+)/.exec(text)?.[1];
  if (boundary === undefined) return null;
  for (const piece of text.split(`--${boundary}`)) {
    const split = piece.indexOf("\r\n\r\n");
    if (split < 0) continue;
    const head = piece.slice(0, split);
    const name = /[; ]name="([^"]*)"/i.exec(head)?.[1];
    const file = /[; ]filename="([^"]*)"/i.exec(head)?.[1];
    const type = /content-type:\s*([^\r\n;]+)/i.exec(head)?.[1];
    if (name === undefined) continue;
    if (file === undefined) parts.push("--form-string", quote(`${name}=${piece.slice(split + 4).replace(/\r\n$/, "")}`));
    else parts.push("--form", quote(`${name}=@${file}${type === undefined ? "" : `;type=${type}`}`));
  }
  return parts;
}

/** POSIX shell: inside single quotes nothing is special but the single quote itself. */
function quote(text: string): string {
  return /^[A-Za-z0-9_./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** `<key:NAME>` and `<env:NAME>` become an environment variable outside the single quotes; a distorted key cannot be written in a line. */
function quoteWithKeys(text: string): string | null {
  const pieces = text.split(/(<(?:key|almost-key|header|almost-header|env|almost-env|control-token)[^>]*>)/);
  if (pieces.length === 1) return quote(text);
  const quoted: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    const masked = index % 2 === 1;
    const [, kind, name] = (masked && /^<(key|header|env):([A-Za-z0-9_-]+)>$/.exec(piece)) || [];
    if (kind !== undefined && name !== undefined)
      quoted.push(`"$${kind === "env" ? name : kind === "key" ? keyVariable(name) : variable("HEADER", name)}"`);
    else if (masked) return null;
    else if (piece !== "") quoted.push(`'${piece.replaceAll("'", String.raw`'\''`)}'`);
  }
  return quoted.join("");
}

/** `primary` is ASSAY_API_KEY; any other key of the manifest is named after itself: ASSAY_KEY_READ_ONLY. */
function keyVariable(name: string): string {
  return name === "primary" ? "ASSAY_API_KEY" : variable("KEY", name);
}

function variable(kind: "KEY" | "HEADER", name: string): string {
  return `ASSAY_${kind}_${name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]/g, "_")
    .toUpperCase()}`;
}
