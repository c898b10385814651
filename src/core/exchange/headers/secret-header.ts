/** Whether a header field of this name usually holds a secret, so that its value is shown nowhere. */
export function isSecretHeader(name: string): boolean {
  return /auth|key|token|secret|cookie|credential|signature|password/i.test(name);
}
