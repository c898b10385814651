import { TransportError } from "../connection/transport-error.ts";
import { beginsFieldLine, readFieldLine } from "./field-line.ts";
import { checkStatusLineStart, readStatusLine } from "./status-line.ts";

/** More of a line is read once it is complete: reading all of it with each of its bytes would take the square of its length. */
const openLineRead = 256;

/**
 * Reports what can never become a response head before its end has come, which it may never do: throws a TransportError. `seen`
 * of the text was checked before.
 */
export function checkPartialHead(text: string, seen: number): void {
  let start = text.lastIndexOf("\n", seen - 1) + 1;
  if (seen === 0) start = 0;
  for (let end = text.indexOf("\n", start); end !== -1; end = text.indexOf("\n", start)) {
    // What is no HTTP at all is reported so, however its lines end.
    if (start === 0 && !text.startsWith("HTTP/")) readStatusLine(text);
    if (text[end - 1] !== "\r") throw new TransportError("invalid-http", "a line of the response head does not end in CRLF");
    checkLine(text.slice(start, end - 1), start === 0);
    start = end + 1;
  }
  const open = text.slice(start, start + openLineRead);
  if (open === "\r") return;
  if (open.endsWith("\r")) checkLine(open.slice(0, -1), start === 0);
  else if (start === 0) checkStatusLineStart(open);
  else if (!beginsFieldLine(open)) readFieldLine(open);
}

function checkLine(line: string, first: boolean): void {
  if (first) readStatusLine(line);
  else readFieldLine(line);
}
