import { TransportError } from "../http/transport-error.ts";

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
