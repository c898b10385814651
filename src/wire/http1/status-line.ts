import { UnreadableHeadError } from "../http/transport-error.ts";

export interface StatusLine {
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
