import { createPublicKey, type KeyObject } from "node:crypto";

/** The 32 bytes of an X25519 key in base64url, as a key. Throws for anything else. */
export function publicKey(text: string): KeyObject {
  return createPublicKey({ key: { kty: "OKP", crv: "X25519", x: text }, format: "jwk" });
}
