import { createHash, createHmac, randomBytes } from "node:crypto";
import { tryJson, isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";
import { BundleError } from "../bundle-error.ts";
import { fromBase64 } from "../envelope/envelope.ts";

/** The order of a verifier to a vendor: nobody knew its nonce before it was issued. */
export interface Challenge {
  readonly kind: "assay-challenge";
  readonly schemaVersion: "1.0";
  /** 32 random bytes, base64. */
  readonly nonce: string;
  /** ISO 8601, UTC. */
  readonly issuedAt: string;
  readonly expiresAt: string;
  /** SHA-256 of the policy that the verifier will apply, hexadecimal; null: none was named. */
  readonly policySha256: string | null;
}

export function makeChallenge(options: {
  readonly now: Date;
  readonly validForMs: number;
  readonly policySha256: string | null;
}): Challenge {
  const { now, validForMs, policySha256 } = options;
  return {
    kind: "assay-challenge",
    schemaVersion: "1.0",
    nonce: randomBytes(32).toString("base64"),
    issuedAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + validForMs).toISOString(),
    policySha256,
  };
}

/** Reads a challenge; throws a BundleError when it is none. */
export function readChallenge(text: string): Challenge {
  const value = tryJson(text);
  if (value === undefined) throw new BundleError("the challenge is not JSON");
  if (!isJsonObject(value) || value["kind"] !== "assay-challenge" || value["schemaVersion"] !== "1.0") {
    throw new BundleError("it is not a challenge written by assay");
  }
  const { nonce, issuedAt, expiresAt } = value;
  const isInstant = (at: unknown): boolean => typeof at === "string" && !Number.isNaN(Date.parse(at));
  if (typeof nonce !== "string" || fromBase64(nonce)?.length !== 32 || !isInstant(issuedAt) || !isInstant(expiresAt)) {
    throw new BundleError("the challenge lacks its nonce or its time");
  }
  return value as unknown as Challenge;
}

/** Of the challenge as its members say, whatever its file looks like. */
export function challengeDigest(challenge: Challenge): string {
  const { nonce, issuedAt, expiresAt, policySha256 } = challenge;
  return createHash("sha256")
    .update(JSON.stringify([nonce, issuedAt, expiresAt, policySha256]))
    .digest("hex");
}

/** Seed of the run: nobody can try seeds before the challenge is there, nor choose one after. */
export function seedOf({ nonce }: Challenge): number {
  return createHmac("sha256", Buffer.from(nonce, "base64")).update("assay run seed").digest().readUInt32BE(0) >>> 1;
}
