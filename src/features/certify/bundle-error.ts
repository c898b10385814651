import { UsageError } from "../../command/usage-error.ts";

/** A key, challenge, policy or bundle cannot be used; the message says why. */
export class BundleError extends UsageError {
  constructor(message: string) {
    super(message);
    this.name = "BundleError";
  }
}
