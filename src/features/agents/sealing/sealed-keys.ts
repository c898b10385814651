import {
  type KeyObject,
  createCipheriv,
  generateKeyPairSync,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  hkdfSync,
} from "node:crypto";
import type { Manifest, ManifestKey } from "../../../core/manifest.ts";
import type { AgentCard } from "../broker/agent-card.ts";
import type { AgentOrder } from "../messages/agent-order.ts";

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

type Purpose = Pick<AgentOrder, "runId" | "agent" | "target">;

/** A box opens for one agent, run and target only. */
const purposeOf = ({ runId, agent, target }: Purpose): string => `${runId}\n${agent}\n${target}`;

/** The one key that a profile sends with, for the eyes of one agent. */
export function sealKey(
  manifest: Manifest,
  name: string,
  { publicKey }: Pick<AgentCard, "publicKey">,
  order: Purpose,
): string | null {
  const key = manifest.keys[name];
  return key === undefined ? null : seal(JSON.stringify({ [name]: key }), publicKey, purposeOf(order));
}

/** The manifest of an agent with what was sealed for it; its own keys come first. Throws when the box is not for it. */
export function unsealKeys(manifest: Manifest, order: AgentOrder, own: KeyObject): Manifest {
  if (order.sealedKeys === null) return manifest;
  let sent: string;
  try {
    sent = openSealed(order.sealedKeys, own, purposeOf(order));
  } catch (error) {
    throw new Error("the key of the target was sealed for another agent or run", { cause: error });
  }
  return { ...manifest, keys: { ...(JSON.parse(sent) as Readonly<Record<string, ManifestKey>>), ...manifest.keys } };
}
