import { createCipheriv, generateKeyPairSync } from "node:crypto";
import { deriveKey } from "./derive-key.ts";
import { publicKey } from "./public-key.ts";

/**
 * For the holder of one private key, for one purpose: a fresh X25519 key, HKDF, AES-256-GCM. Whoever carries the box cannot read it,
 * change it, or use it for something else.
 */
export function seal(text: string, recipient: string, purpose: string): string {
  const once = generateKeyPairSync("x25519");
  const sender = once.publicKey.export({ format: "jwk" }).x ?? "";
  const { key, nonce } = deriveKey(once.privateKey, publicKey(recipient), { sender, recipient, purpose });
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const bytes = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${sender}.${bytes.toString("base64url")}`;
}
