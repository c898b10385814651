import { isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";
import type { PublicKey, SigningKey } from "../keys/signing-key.ts";
import { isSignedBy, signBytes } from "./signature.ts";

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
