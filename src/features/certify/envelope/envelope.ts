import { isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";
import type { PublicKey, SigningKey } from "../keys/signing-key.ts";
import { sign, verify } from "node:crypto";

/** Ed25519 over the bytes; ECDSA P-256 with SHA-256, DER, with the lower of the two equal values of s. */
function signBytes({ kind, key }: SigningKey, bytes: Buffer): Buffer {
  if (kind === "ed25519") return sign(null, bytes, key);
  const raw = sign("sha256", bytes, { key, dsaEncoding: "ieee-p1363" });
  const s = BigInt(`0x${raw.subarray(32).toString("hex")}`);
  return encodeDer(raw.subarray(0, 32), s > orderP256 / 2n ? orderP256 - s : s);
}

/** Whether this is the one signature form that `signBytes` gives; another encoding, or the other s, of a good signature is none. */
function isSignedBy({ kind, key }: PublicKey, bytes: Buffer, signature: Buffer): boolean {
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

/** Dead Simple Signing Envelope 1.0 (github.com/secure-systems-lab/dsse). */
export interface Envelope {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

export const inTotoType: string = "application/vnd.in-toto+json";

export function signEnvelope(key: SigningKey, payload: Buffer, payloadType: string = inTotoType): Envelope {
  const sig = signBytes(key, preAuthEncoding(payloadType, payload)).toString("base64");
  return { payload: payload.toString("base64"), payloadType, signatures: [{ keyid: key.id, sig }] };
}

/** The bytes that are signed: lengths and texts, so that no payload can be taken for another type. */
export function preAuthEncoding(payloadType: string, payload: Buffer): Buffer {
  const type = Buffer.from(payloadType);
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${payloadType} ${payload.length} `), payload]);
}

export interface OpenedEnvelope {
  readonly payload: Buffer;
  readonly signer: PublicKey;
}

/** The payload where one of these keys signed it; else what is wrong, in a few words. `keyid` is never believed. */
export function openEnvelope(
  value: unknown,
  keys: readonly PublicKey[],
  payloadType: string = inTotoType,
): OpenedEnvelope | { readonly problem: string } {
  if (!isEnvelope(value)) return { problem: "it is not a DSSE envelope" };
  if (value.payloadType !== payloadType)
    return { problem: `its payload type is ${JSON.stringify(value.payloadType.slice(0, 80))}` };
  const payload = fromBase64(value.payload);
  if (payload === null) return { problem: "its payload is not canonical base64" };
  const bytes = preAuthEncoding(payloadType, payload);
  for (const { sig } of value.signatures) {
    const signature = fromBase64(sig);
    const signer = signature === null ? undefined : keys.find((key) => isSignedBy(key, bytes, signature));
    if (signer !== undefined) return { payload, signer };
  }
  return { problem: "no signature in it is by a trusted key over this content" };
}

/** Standard base64 with its padding and nothing else; null for another spelling of the same bytes. */
export function fromBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : null;
}

function isEnvelope(value: unknown): value is Envelope {
  return (
    isJsonObject(value) &&
    typeof value["payload"] === "string" &&
    typeof value["payloadType"] === "string" &&
    Array.isArray(value["signatures"]) &&
    value["signatures"].every(
      (one) =>
        isJsonObject(one) && typeof one["sig"] === "string" && (one["keyid"] === undefined || typeof one["keyid"] === "string"),
    )
  );
}
