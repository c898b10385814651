import { createHash } from "node:crypto";
import { tryJson } from "../../../core/exchange/bodies/recorded-json.ts";
import { openEnvelope, signEnvelope, type Envelope } from "../envelope/envelope.ts";
import type { PublicKey, SigningKey } from "../keys/signing-key.ts";

/** The statement that a vendor signs before the first request: which run it will be. */
export interface Commitment {
  readonly challenge: string;
  readonly runId: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly seed: number;
  readonly command: readonly string[];
  readonly toolSha256: string;
  readonly catalogueSha256: string;
}

const commitmentType = "application/vnd.assay.commitment+json";

export function signCommitment(key: SigningKey, commitment: Commitment): Envelope {
  return signEnvelope(key, Buffer.from(JSON.stringify(commitment)), commitmentType);
}

/** The commitment where one of these keys signed it; else what is wrong. */
export function openCommitment(
  envelope: unknown,
  keys: readonly PublicKey[],
): { readonly commitment: Commitment; readonly signer: PublicKey } | { readonly problem: string } {
  const opened = openEnvelope(envelope, keys, commitmentType);
  if ("problem" in opened) return opened;
  const commitment = tryJson(opened.payload.toString("utf8"));
  return commitment === undefined
    ? { problem: "it holds no JSON" }
    : { commitment: commitment as Commitment, signer: opened.signer };
}

/** The digest that names a commitment: of the signed content, since more than one signature may be over it. */
export function commitmentDigest({ payload }: Envelope): string {
  return createHash("sha256").update(Buffer.from(payload, "base64")).digest("hex");
}
