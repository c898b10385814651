import { signEnvelope, type Envelope } from "../envelope/envelope.ts";
import type { SigningKey } from "../keys/signing-key.ts";
import { statementType } from "./statement.ts";

export interface Endorsement {
  /** Name and SHA-256 of the bundle that was verified. */
  readonly bundle: { readonly name: string; readonly sha256: string };
  readonly toolVersion: string;
  /** ISO 8601, UTC. */
  readonly verifiedAt: string;
  readonly policySha256: string | null;
  /** `ASSAY_ACCEPTED`, `ASSAY_REJUDGED` ... */
  readonly properties: readonly string[];
}

/** A simple verification result (in-toto SVR v0.1, slsa.dev's summary without its levels): the verifier's word that it verified. */
export function signEndorsement(
  key: SigningKey,
  { bundle, toolVersion, verifiedAt, policySha256, properties }: Endorsement,
): Envelope {
  const statement = {
    _type: statementType,
    subject: [{ name: bundle.name, digest: { sha256: bundle.sha256 } }],
    predicateType: "https://in-toto.io/attestation/svr/v0.1",
    predicate: {
      verifier: { id: "urn:assay:verifier", version: { assay: toolVersion } },
      timeCreated: verifiedAt,
      ...(policySha256 === null ? {} : { policy: { digest: { sha256: policySha256 } } }),
      properties,
    },
  };
  return signEnvelope(key, Buffer.from(JSON.stringify(statement)));
}
