import type { Envelope } from "./envelope.ts";

/** The envelope as a Sigstore bundle v0.3, signed with a key of one's own: no certificate, no transparency log. */
export function sigstoreBundle(envelope: Envelope): object {
  const [signature] = envelope.signatures;
  return {
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: {
      publicKey: { hint: signature?.keyid ?? "" },
      tlogEntries: [],
      timestampVerificationData: { rfc3161Timestamps: [] },
    },
    dsseEnvelope: envelope,
  };
}
