import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Result } from "../../../core/result/result.ts";
import { challengeDigest, readChallenge } from "../challenge/challenge.ts";
import { commitmentDigest } from "../challenge/commitment.ts";
import { signEnvelope, type Envelope } from "../envelope/envelope.ts";
import { sigstoreBundle } from "../envelope/sigstore-bundle.ts";
import type { SigningKey } from "../keys/signing-key.ts";
import { memberNames } from "../archive/member-names.ts";
import { describeResult, type Content, type Predicate, type Product } from "../statement/predicate.ts";
import { writeStatement } from "../statement/statement.ts";

export interface BundleParts {
  readonly result: Result;
  readonly product: Product;
  /** ISO 8601, UTC. */
  readonly signedAt: string;
  readonly toolSha256: string;
  readonly catalogueSha256: string;
  /** Stored compressed, by the names that they have in a run folder. */
  readonly packed: ReadonlyMap<string, Buffer>;
  /** Stored as they are. */
  readonly plain: ReadonlyMap<string, Buffer>;
  readonly key: SigningKey;
}

/** All members of a bundle, the signed statement about them included. */
export function packBundle(parts: BundleParts): { readonly members: ReadonlyMap<string, Buffer>; readonly predicate: Predicate } {
  const { result, product, signedAt, toolSha256, catalogueSha256, packed, plain, key } = parts;
  const members = new Map(plain);
  const contents: Content[] = [];
  for (const [name, bytes] of packed) {
    members.set(`${name}.gz`, gzipSync(bytes, { level: 9 }));
    contents.push({ name, bytes: bytes.length, sha256: digest(bytes) });
  }
  const challenge = describeChallenge(members);
  const predicate = describeResult({ product, signedAt, result, toolSha256, catalogueSha256, challenge, contents });
  const digests = new Map([...members].map(([name, bytes]) => [name, digest(bytes)]));
  const envelope = signEnvelope(key, writeStatement(digests, predicate));
  members.set(memberNames.envelope, Buffer.from(JSON.stringify(envelope)));
  members.set(memberNames.sigstore, Buffer.from(JSON.stringify(sigstoreBundle(envelope))));
  return { members, predicate };
}

function describeChallenge(members: ReadonlyMap<string, Buffer>): Predicate["challenge"] {
  const challenge = members.get(memberNames.challenge);
  const commitment = members.get(memberNames.commitment);
  if (challenge === undefined || commitment === undefined) return null;
  return {
    sha256: challengeDigest(readChallenge(challenge.toString("utf8"))),
    commitment: commitmentDigest(JSON.parse(commitment.toString("utf8")) as Envelope),
  };
}

function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
