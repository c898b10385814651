/** A key, challenge, policy or bundle cannot be used; the message says why. */
export class CertificateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CertificateError";
  }
}
