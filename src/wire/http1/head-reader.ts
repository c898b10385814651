import { TransportError } from "../transport-error.ts";
import type { ResponseHead } from "./response-head.ts";

/**
 * Reads one response head: status line and field lines, each with its CRLF, without the empty line at the end. Throws a
 * TransportError where it is not HTTP/1.0 or HTTP/1.1 (RFC 9112 sections 2.2, 4 and 5).
 */
export type HeadReader = (text: string, method: string) => ResponseHead;

/** One line of a head, read. Lines repeat from answer to answer: those of the answer before are recognized, not read again. */
interface FieldLine {
  /** With its CRLF. */
  readonly text: string;
  /** As it is recorded, masked. */
  readonly field: readonly [name: string, value: string];
  /** Set on the few that concern the framing or the connection. */
  readonly control: ControlField | null;
}

interface ControlField {
  readonly name: "content-length" | "transfer-encoding" | "connection" | "keep-alive";
  readonly value: string;
}

/** A hostile answer may have thousands of fields. */
const placesKept = 64;
const noControls: readonly ControlField[] = [];
const statusLinePattern = /^HTTP\/1\.([01]) (\d{3})(?: [^\r\n]*)?$/;
/** RFC 9110 sections 5.1 and 5.5; the octets above ASCII are obsolete but lawful. */
const fieldPattern = /^([!#$%&'*+\-.^_`|~\dA-Za-z]+):[ \t]*((?:[\x21-\x7e\x80-\xff]+(?:[ \t]+[\x21-\x7e\x80-\xff]+)*)?)[ \t]*$/;
const lengthPattern = /^\d{1,15}$/;

export function createHeadReader(mask: (text: string) => string): HeadReader {
  const before: (FieldLine | null)[] = [];
  const names = new Map<string, string>();
  const statusLine = { text: "HTTP/1.1 200 OK\r\n", status: 200, minor: 1 };

  const readStatusLine = (text: string): void => {
    if (text.startsWith(statusLine.text)) return;
    const end = text.indexOf("\r\n");
    if (!text.startsWith("HTTP/")) throw new TransportError("invalid-http", "the answer is not HTTP");
    const parts = statusLinePattern.exec(text.slice(0, end));
    if (parts === null) throw new TransportError("invalid-http", "the status line of the response is malformed");
    statusLine.text = text.slice(0, end + 2);
    statusLine.minor = Number(parts[1]);
    statusLine.status = Number(parts[2]);
  };

  /** One text for each name, so that later comparisons need not read it. */
  const sameName = (name: string): string => {
    const known = names.get(name);
    if (known !== undefined) return known;
    if (names.size < placesKept) names.set(name, name);
    return name;
  };

  const readLine = (text: string, from: number, place: number): FieldLine => {
    const end = text.indexOf("\r\n", from);
    const parts = fieldPattern.exec(text.slice(from, end));
    if (parts === null) throw new TransportError("invalid-http", "a header field of the response is malformed");
    const [, spelled = "", value = ""] = parts;
    const name = sameName(spelled);
    const field = [mask(name), mask(value)] as const;
    const line = { text: text.slice(from, end + 2), field, control: controlOf(name, value) };
    // What was masked must be looked for anew.
    if (place < placesKept) before[place] = field[0] === name && field[1] === value ? line : null;
    return line;
  };

  return (text, method) => {
    readStatusLine(text);
    const { status, minor } = statusLine;
    const headers: (readonly [string, string])[] = [];
    let controls: ControlField[] | null = null;
    for (let at = statusLine.text.length; at < text.length;) {
      const known = before[headers.length] ?? null;
      const line = known !== null && text.startsWith(known.text, at) ? known : readLine(text, at, headers.length);
      headers.push(line.field);
      if (line.control !== null) (controls ??= []).push(line.control);
      at += line.text.length;
    }
    const { body, keepAlive, idleSeconds } = describeBody(controls ?? noControls, status, minor, method);
    return { status, headers, body, keepAlive, idleSeconds };
  };
}

function controlOf(name: string, value: string): ControlField | null {
  switch (name.toLowerCase()) {
    case "content-length":
      return { name: "content-length", value };
    case "transfer-encoding":
      return { name: "transfer-encoding", value };
    case "connection":
      return { name: "connection", value };
    case "keep-alive":
      return { name: "keep-alive", value };
    default:
      return null;
  }
}

/** Framing and persistence (RFC 9112 sections 6.3 and 9.3). */
function describeBody(
  controls: readonly ControlField[],
  status: number,
  minor: number,
  method: string,
): Pick<ResponseHead, "body" | "keepAlive" | "idleSeconds"> {
  let length: number | null = null;
  let coding: string | null = null;
  let keepAlive = minor === 1;
  let idleSeconds: number | null = null;
  for (const { name, value } of controls) {
    if (name === "content-length") {
      if (length !== null) throw new TransportError("invalid-http", "the response head states the length of the body twice");
      if (!lengthPattern.test(value)) throw new TransportError("invalid-http", "Content-Length of the response is no number");
      length = Number(value);
    } else if (name === "transfer-encoding") {
      coding = value;
    } else if (name === "connection") {
      const options = value.toLowerCase();
      if (/(?:^|[,\s])close(?:$|[,\s])/.test(options)) keepAlive = false;
      else if (/(?:^|[,\s])keep-alive(?:$|[,\s])/.test(options)) keepAlive = true;
    } else {
      const timeout = /(?:^|[,\s])timeout\s*=\s*(\d{1,9})/i.exec(value);
      if (timeout) idleSeconds = Number(timeout[1]);
    }
  }
  if (length !== null && coding !== null) {
    throw new TransportError("invalid-http", "the response head contradicts itself about the length of the body");
  }
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return { body: 0, keepAlive, idleSeconds };
  if (coding !== null && /(?:^|[,\s])chunked$/i.test(coding)) return { body: "chunked", keepAlive, idleSeconds };
  if (length !== null) return { body: length, keepAlive, idleSeconds };
  return { body: "until-close", keepAlive: false, idleSeconds };
}
