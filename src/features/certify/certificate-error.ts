import { UsageError } from "../../command/usage-error.ts";

/** A key, challenge, policy or bundle cannot be used; the message says why. */
export class CertificateError extends UsageError {
  constructor(message: string) {
    super(message);
    this.name = "CertificateError";
  }
}
