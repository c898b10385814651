import { sign, verify } from "node:crypto";
import type { PublicKey, SigningKey } from "../keys/signing-key.ts";

/** Ed25519 over the bytes; ECDSA P-256 with SHA-256, DER, with the lower of the two equal values of s. */
export function signBytes({ kind, key }: SigningKey, bytes: Buffer): Buffer {
  if (kind === "ed25519") return sign(null, bytes, key);
  const raw = sign("sha256", bytes, { key, dsaEncoding: "ieee-p1363" });
  const s = BigInt(`0x${raw.subarray(32).toString("hex")}`);
  return encodeDer(raw.subarray(0, 32), s > orderP256 / 2n ? orderP256 - s : s);
}

/** Whether this is the one signature form that `signBytes` gives; another encoding, or the other s, of a good signature is none. */
export function isSignedBy({ kind, key }: PublicKey, bytes: Buffer, signature: Buffer): boolean {
  if (kind === "ed25519") return signature.length === 64 && verify(null, bytes, key, signature);
  return verify("sha256", bytes, { key, dsaEncoding: "der" }, signature) && isPlainDer(signature);
}

/** Order of P-256 (FIPS 186-5). */
const orderP256 = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

function isPlainDer(signature: Buffer): boolean {
  const length = signature[3] ?? 0;
  const r = signature.subarray(4, 4 + length);
  const s = signature.subarray(6 + length);
  if (s.length === 0 || s.length > 33 || r.length > 33) return false;
  const value = BigInt(`0x${s.toString("hex")}`);
  return value <= orderP256 / 2n && encodeDer(r, value).equals(signature);
}

function encodeDer(r: Buffer, s: bigint): Buffer {
  const hex = s.toString(16);
  const parts = [r, Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex")].map(encodeInteger);
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}

function encodeInteger(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const least = bytes.subarray(start);
  const value = (least[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), least]) : least;
  return Buffer.concat([Buffer.from([0x02, value.length]), value]);
}
