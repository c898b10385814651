/** Fields whose values are words of the protocol (RFC 9110), and say nothing about who sends them. */
const publicFields: ReadonlySet<string> = new Set([
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "content-type",
  "prefer",
  "te",
  "user-agent",
]);

/**
 * Whether the value of a header field of a manifest is shown nowhere. The name of a field says little about its value, so that all are
 * secret but words of the protocol, and numbers and dates, which other texts hold by chance.
 */
export function isSecretHeader(name: string, value: string): boolean {
  if (/auth|key|token|secret|cookie|credential|signature|password/i.test(name)) return true;
  return !publicFields.has(name.toLowerCase()) && !/^[\d.:/ -]*$/.test(value);
}
