import { diffieHellman, hkdfSync, type KeyObject } from "node:crypto";

/** Key and nonce of one box: bound to both public keys and to what the box is for. */
export function deriveKey(
  own: KeyObject,
  other: KeyObject,
  box: { readonly sender: string; readonly recipient: string; readonly purpose: string },
): { readonly key: Buffer; readonly nonce: Buffer } {
  const shared = diffieHellman({ privateKey: own, publicKey: other });
  const salt = Buffer.from(`${box.sender}.${box.recipient}`);
  const bytes = Buffer.from(hkdfSync("sha256", shared, salt, `assay sealed keys 1\n${box.purpose}`, 44));
  return { key: bytes.subarray(0, 32), nonce: bytes.subarray(32) };
}
