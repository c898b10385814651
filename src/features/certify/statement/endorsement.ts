import { signEnvelope, type Envelope } from "../envelope/envelope.ts";
import type { SigningKey } from "../keys/signing-key.ts";
import { statementType } from "./statement.ts";

/** A file by its name and SHA-256, hexadecimal. */
interface NamedDigest {
  readonly name: string;
  readonly sha256: string;
}

export interface Endorsement {
  /** That was verified. */
  readonly bundle: NamedDigest;
  readonly toolVersion: string;
  /** ISO 8601, UTC. */
  readonly verifiedAt: string;
  /** null: that of assay, which is no file. */
  readonly policy: NamedDigest | null;
  /** `ASSAY_ACCEPTED`, `ASSAY_REJUDGED` ... */
  readonly properties: readonly string[];
}

/** A simple verification result (in-toto SVR v0.2): the verifier's word that it verified. */
export function signEndorsement(key: SigningKey, { bundle, toolVersion, verifiedAt, policy, properties }: Endorsement): Envelope {
  const describe = ({ name, sha256 }: NamedDigest): object => ({ name, digest: { sha256 } });
  const statement = {
    _type: statementType,
    subject: [describe(bundle)],
    predicateType: "https://in-toto.io/attestation/svr/v0.2",
    predicate: {
      verifier: { id: `urn:assay:verifier:${toolVersion}`, policies: policy === null ? [] : [describe(policy)] },
      timeCreated: verifiedAt,
      properties,
    },
  };
  return signEnvelope(key, Buffer.from(JSON.stringify(statement)));
}
