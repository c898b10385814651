import type { ExamRequest } from "../../probe/exam-request.ts";

type Claims = Pick<ExamRequest, "headers" | "distortion" | "connection"> & { readonly label: string };

/** An address for documentation (RFC 5737), which no proxy routes. */
const elsewhere = "203.0.113.77";

/**
 * One key in the hands of clients that differ in one thing that they choose themselves. A limiter that counts keys notices none of it; a
 * service that does not know a spelling of the credential may refuse it, as any 4xx.
 */
export const otherClients: readonly Claims[] = [
  { label: "another X-Forwarded-For", headers: { "x-forwarded-for": elsewhere } },
  { label: "another Forwarded", headers: { forwarded: `for=${elsewhere};proto=https` } },
  { label: "another X-Real-IP", headers: { "x-real-ip": elsewhere } },
  {
    label: "another CF-Connecting-IP and True-Client-IP",
    headers: { "cf-connecting-ip": elsewhere, "true-client-ip": elsewhere },
  },
  { label: "another User-Agent", headers: { "user-agent": "another-client/1.0" } },
  { label: "a second credential field", headers: { "x-api-key": "no-key-at-all" } },
  { label: "a session cookie", headers: { cookie: "session=another" } },
  { label: "the scheme in lower case", distortion: "lower-case-scheme" },
  { label: "two spaces after the scheme", distortion: "two-spaces" },
  { label: "a connection of its own", connection: "fresh" },
];
