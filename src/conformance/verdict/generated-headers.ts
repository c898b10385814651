import { type HeaderList, headerValues } from "../../core/exchange/headers/header-list.ts";

/** Fields that an HTTP client makes itself, or that would be wrong for another connection. */
const generated: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "keep-alive",
  "content-length",
  "user-agent",
  "accept-encoding",
]);

/** Whether a recorded request field is left out when the request is sent again; names are case-insensitive. */
export function isGeneratedHeader(name: string): boolean {
  return generated.has(name.toLowerCase());
}

/** Whether the request asked for a packed answer: what only such an answer shows needs one when it is sent again. */
export function acceptsCodings(headers: HeaderList): boolean {
  return headerValues(headers, "accept-encoding").some((value) => value !== "identity");
}
