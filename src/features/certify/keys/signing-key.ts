import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { BundleError } from "../bundle-error.ts";

/** The two kinds of keys that bundles are signed with. */
export type KeyKind = "ed25519" | "p256";

export interface SigningKey {
  readonly kind: KeyKind;
  readonly key: KeyObject;
  /** SHA-256 of its public key (SubjectPublicKeyInfo, DER), hexadecimal: a name, never a proof. */
  readonly id: string;
}

export interface PublicKey {
  readonly kind: KeyKind;
  readonly key: KeyObject;
  readonly id: string;
  readonly pem: string;
}

/** Reads a private key (PEM, PKCS #8 or SEC 1, not encrypted). Throws a BundleError, which never holds anything of the key. */
export function readSigningKey(pem: string): SigningKey {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new BundleError("the signing key is not a private key in PEM without a password");
  }
  const { kind, id } = describe(createPublicKey(key));
  return { kind, key, id };
}

/** Reads a public key (PEM, SubjectPublicKeyInfo). Throws a BundleError. */
export function readPublicKey(pem: string): PublicKey {
  // A private key would be read as its public half, and then lie where public keys lie.
  if (pem.includes("PRIVATE KEY")) throw new BundleError("a private key is given where a public key is needed");
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch {
    throw new BundleError("the trusted key is not a public key in PEM");
  }
  return describe(key);
}

function describe(key: KeyObject): PublicKey {
  const kind = kindOf(key);
  if (kind === null) throw new BundleError("the key is neither Ed25519 nor ECDSA on P-256");
  const id = createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("hex");
  return { kind, key, id, pem: key.export({ type: "spki", format: "pem" }).toString() };
}

function kindOf(key: KeyObject): KeyKind | null {
  if (key.asymmetricKeyType === "ed25519") return "ed25519";
  return key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? "p256" : null;
}
