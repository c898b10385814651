import { createDecipheriv, createPublicKey, type KeyObject } from "node:crypto";
import { deriveKey } from "./derive-key.ts";
import { publicKey } from "./public-key.ts";

const tagBytes = 16;

/** What `seal` was given. Throws when the box is for somebody else or something else, or was changed. */
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
