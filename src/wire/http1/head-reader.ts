import { TransportError, UnreadableHeadError } from "../http/transport-error.ts";
import type { HeaderList } from "../../core/exchange/headers/header-list.ts";

interface StatusLine {
  readonly status: number;
  /** Whether the version keeps connections unless asked otherwise (RFC 9112 section 9.3). */
  readonly persistent: boolean;
}

/** A server that reports a wrong version in HTTP/1 syntax is read as undici reads it: as one that keeps no connection. */
const statusLinePattern = /^HTTP\/(1\.1|1\.0|2\.0|0\.9) ([1-9]\d\d)(?: [^\r\n]*)?$/;
const shortest: readonly string[] = ["HTTP/1.1 200", "HTTP/2.0 200", "HTTP/0.9 200"];

/** A status line without its CRLF (RFC 9112 section 4). Throws a TransportError where it is none. */
export function readStatusLine(line: string): StatusLine {
  if (!line.startsWith("HTTP/")) throw new UnreadableHeadError("the answer is not HTTP", line);
  const parts = statusLinePattern.exec(line);
  if (parts === null) throw new UnreadableHeadError("the status line of the response is malformed", line);
  return { status: Number(parts[2]), persistent: parts[1] === "1.1" };
}

/** Throws a TransportError where this cannot become a status line when more of it comes. */
export function checkStatusLineStart(part: string): void {
  const lines = shortest.map((line) => part + line.slice(part.length));
  if (!lines.some((line) => statusLinePattern.test(line))) readStatusLine("HTTP/".startsWith(part) ? "HTTP/" : part);
}

const [tab, space] = [9, 32];
const namePattern = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
/** RFC 9110 section 5.5; the octets above ASCII are obsolete but lawful. */
const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/;
/** Characters of a field name that a message shows, at most. */
const longestShown = 64;

/**
 * Name and value of a field line without its CRLF (RFC 9112 section 5). Throws a TransportError where it is none. Not one
 * pattern for all of it: that would take hours over a value of spaces only.
 */
export function readFieldLine(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon));
  if (!namePattern.test(name)) throw new TransportError("invalid-http", "a header field of the response is malformed");
  if (forbiddenInValue.test(line)) {
    const shown = name.length > longestShown ? "a header field" : `the header field ${name}`;
    throw new TransportError("invalid-http", `${shown} of the response has characters that HTTP does not allow`);
  }
  let from = colon + 1;
  let to = line.length;
  while (from < to && isBlank(line, from)) from += 1;
  while (from < to && isBlank(line, to - 1)) to -= 1;
  return [name, line.slice(from, to)];
}

/** Whether this may become a field line when more of it comes. */
export function beginsFieldLine(part: string): boolean {
  return part === "" || (part.includes(":") ? !forbiddenInValue.test(part) : namePattern.test(part));
}

function isBlank(line: string, at: number): boolean {
  // Space and tab alone are blank in HTTP; `trim` would take off other characters as well.
  const character = line.codePointAt(at);
  return character === space || character === tab;
}

/** Head of a final response and what it says about the body that follows (RFC 9112 section 6.3). */
export interface ResponseHead {
  readonly status: number;
  /** In the order received, masked. */
  readonly headers: HeaderList;
  /** How the end of the body is reported: by its length in bytes, by the chunked coding, or by the end of the connection. */
  readonly body: number | "chunked" | "until-close";
  /** Whether the connection may carry another request. */
  readonly keepAlive: boolean;
  /** Seconds after which the server closes an idle connection, by its `Keep-Alive: timeout=N`; null when it reports none. */
  readonly idleSeconds: number | null;
}

/**
 * Reads one response head: status line and field lines, each with its CRLF, without the empty line at the end. Throws a
 * TransportError where it is not HTTP/1 (RFC 9112 sections 2.2, 4 and 5).
 */
export type HeadReader = (text: string, method: string) => ResponseHead;

/** One line of a head, read. Lines repeat from answer to answer: those of the answer before are recognized, not read again. */
interface FieldLine {
  /** With its CRLF. */
  readonly text: string;
  /** The text before the value: many fields keep their name and change their value. */
  readonly prefix: string;
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
const lengthPattern = /^0*(\d{1,15})$/;

export function createHeadReader(mask: (text: string) => string): HeadReader {
  const before: (FieldLine | null)[] = [];
  const names = new Map<string, string>();
  let statusText = "HTTP/1.1 200 OK\r\n";
  let statusLine: StatusLine = { status: 200, persistent: true };

  /** Equal names become one string, so that comparing them later takes no look at their characters. */
  const sameName = (name: string): string => {
    const known = names.get(name);
    if (known === undefined && names.size < placesKept) names.set(name, name);
    return known ?? name;
  };

  const readLine = (text: string, from: number, place: number): FieldLine => {
    const end = text.indexOf("\r\n", from);
    const [spelled, value] = readFieldLine(text.slice(from, end));
    const name = sameName(spelled);
    const field = [mask(name), mask(value)] as const;
    const line = { text: text.slice(from, end + 2), prefix: `${name}: `, field, control: controlOf(name, value) };
    // A field that was masked is read again each time: secrets are looked for in every answer.
    if (place < placesKept) before[place] = field[0] === name && field[1] === value ? line : null;
    return line;
  };

  /** A line that differs in a plain value only from the one at its place in the answer before; null for others. */
  const rereadLine = (known: FieldLine, text: string, from: number, place: number): FieldLine | null => {
    const { prefix, field, control } = known;
    if (control !== null || !holds(text, from, prefix)) return null;
    const end = text.indexOf("\r\n", from);
    const value = text.slice(from + prefix.length, end);
    if (!isPlain(value)) return null;
    const shown = mask(value);
    const line: FieldLine = { text: text.slice(from, end + 2), prefix, field: [field[0], shown], control };
    before[place] = shown === value ? line : null;
    return line;
  };

  return (text, method) => {
    if (!holds(text, 0, statusText)) {
      const end = text.indexOf("\r\n");
      statusLine = readStatusLine(text.slice(0, end));
      statusText = text.slice(0, end + 2);
    }
    const headers: (readonly [string, string])[] = [];
    let controls: ControlField[] | null = null;
    for (let at = statusText.length; at < text.length;) {
      const place = headers.length;
      const known = before[place] ?? null;
      const same = known !== null && holds(text, at, known.text) ? known : null;
      const line = same ?? (known === null ? null : rereadLine(known, text, at, place)) ?? readLine(text, at, place);
      headers.push(line.field);
      if (line.control !== null) (controls ??= []).push(line.control);
      at += line.text.length;
    }
    const { body, keepAlive, idleSeconds } = describeBody(controls ?? noControls, statusLine, method);
    return { status: statusLine.status, headers, body, keepAlive, idleSeconds };
  };
}

/** Faster than `startsWith`, which compares character by character. */
function holds(text: string, from: number, part: string): boolean {
  return text.slice(from, from + part.length) === part;
}

/** Visible ASCII, and some of it: nothing to trim and nothing to refuse. */
function isPlain(value: string): boolean {
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code < 0x21 || code > 0x7e) return false;
  }
  return value !== "";
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
  { status, persistent }: StatusLine,
  method: string,
): Pick<ResponseHead, "body" | "keepAlive" | "idleSeconds"> {
  let length: number | null = null;
  let coding: string | null = null;
  let closes = false;
  let keeps = persistent;
  let idleSeconds: number | null = null;
  for (const { name, value } of controls) {
    if (name === "content-length") {
      if (length !== null) throw new TransportError("invalid-http", "the response head states the length of the body twice");
      const digits = lengthPattern.exec(value);
      if (!digits) throw new TransportError("invalid-http", "Content-Length of the response is no number");
      length = Number(digits[1]);
    } else if (name === "transfer-encoding") {
      // Empty elements of a list are ignored (RFC 9110 section 5.6.1).
      if (coding === null || value !== "") coding = value;
    } else if (name === "connection") {
      const options = value.toLowerCase();
      closes ||= /(?:^|,)[ \t]*close[ \t]*(?:,|$)/.test(options);
      keeps ||= /(?:^|,)[ \t]*keep-alive[ \t]*(?:,|$)/.test(options);
    } else {
      const timeout = /(?:^|[, \t])timeout[ \t]*=[ \t]*(\d{1,9})/i.exec(value);
      if (timeout) idleSeconds = Number(timeout[1]);
    }
  }
  if (length !== null && coding !== null) {
    throw new TransportError("invalid-http", "the response head contradicts itself about the length of the body");
  }
  const keepAlive = keeps && !closes;
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return { body: 0, keepAlive, idleSeconds };
  if (coding !== null && /(?:^|,[ \t]*)chunked$/i.test(coding)) return { body: "chunked", keepAlive, idleSeconds };
  // If the last coding is not chunked, or no length is stated, the body ends with the connection.
  if (length !== null) return { body: length, keepAlive, idleSeconds };
  return { body: "until-close", keepAlive: false, idleSeconds };
}
