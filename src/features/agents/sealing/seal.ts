import {
  createCipheriv,
  generateKeyPairSync,
  createDecipheriv,
  createPublicKey,
  type KeyObject,
  diffieHellman,
  hkdfSync,
} from "node:crypto";

/**
 * For the holder of one private key, for one purpose: a fresh X25519 key, HKDF, AES-256-GCM. A carrier of the box cannot read
 * it, change it, or use it for something else.
 */
export function seal(text: string, recipient: string, purpose: string): string {
  const once = generateKeyPairSync("x25519");
  const sender = once.publicKey.export({ format: "jwk" }).x ?? "";
  const { key, nonce } = deriveKey(once.privateKey, publicKey(recipient), { sender, recipient, purpose });
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const bytes = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${sender}.${bytes.toString("base64url")}`;
}

const tagBytes = 16;

/** The text that `seal` was given. Throws when the box is for somebody else or something else, or was changed. */
export function openSealed(box: string, own: KeyObject, purpose: string): string {
  const [sender = "", body = ""] = box.split(".");
  const recipient = createPublicKey(own).export({ format: "jwk" }).x ?? "";
  const { key, nonce } = deriveKey(own, publicKey(sender), { sender, recipient, purpose });
  const bytes = Buffer.from(body, "base64url");
  if (bytes.length < tagBytes) throw new Error("the box is too short");
  const decipher = createDecipheriv("aes-256-gcm", key, nonce);
  decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - tagBytes)), decipher.final()]).toString("utf8");
}

/** Key and nonce of one box: bound to both public keys and to what the box is for. */
function deriveKey(
  own: KeyObject,
  other: KeyObject,
  box: { readonly sender: string; readonly recipient: string; readonly purpose: string },
): { readonly key: Buffer; readonly nonce: Buffer } {
  const shared = diffieHellman({ privateKey: own, publicKey: other });
  const salt = Buffer.from(`${box.sender}.${box.recipient}`);
  const bytes = Buffer.from(hkdfSync("sha256", shared, salt, `assay sealed keys 1\n${box.purpose}`, 44));
  return { key: bytes.subarray(0, 32), nonce: bytes.subarray(32) };
}

/** The 32 bytes of an X25519 key in base64url, as a key. Throws for anything else. */
function publicKey(text: string): KeyObject {
  return createPublicKey({ key: { kty: "OKP", crv: "X25519", x: text }, format: "jwk" });
}
