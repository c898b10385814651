import type { Manifest } from "../core/manifest.ts";
import { isSecretHeader } from "../core/secret-header.ts";
import { alteredSecrets } from "./credential.ts";

/** Takes every secret of the manifest out of what is recorded. */
export interface Redactor {
  /**
   * Secrets become `<key:NAME>`, re-encoded ones `<key:NAME:HOW>`. A key that is a little off, as we sometimes present it,
   * becomes `<almost-key:NAME:HOW>`: a target that sends it back gives no key away.
   */
  readonly mask: (text: string) => string;
  /** The same for bytes that are no text: secrets are overwritten with asterisks of the same length. */
  readonly maskBytes: (bytes: Buffer) => Buffer;
  /** Length of the longest thing to hide, in UTF-16 units: text must not be cut closer than that before masking. */
  readonly longest: number;
}

/** Below this length a secret would hide ordinary words; it is then masked in headers that hold nothing else only. */
const shortestMasked = 6;

interface Hidden {
  readonly text: string;
  readonly shown: string;
}

export function createRedactor(manifest: Pick<Manifest, "keys" | "control" | "target">): Redactor {
  const hidden = collectHidden(manifest);
  const heads = [...new Set(hidden.map(({ text }) => text.slice(0, shortestMasked)))];
  const longest = Math.max(0, ...hidden.map(({ text }) => text.length));
  const mask = (text: string): string => {
    // Nothing that short is hidden, and it need not be searched: most values of header fields are.
    if (text.length < shortestMasked) return text;
    // Most texts hold no secret: a few searches for the first letters of all secrets settle that.
    if (!heads.some((head) => text.includes(head))) return text;
    let masked = text;
    for (const { text: secret, shown } of hidden) masked = masked.replaceAll(secret, () => shown);
    return masked;
  };
  const maskBytes = (bytes: Buffer): Buffer => {
    let masked = bytes;
    for (const { text } of hidden) {
      for (let at = masked.indexOf(text); at !== -1; at = masked.indexOf(text, at + 1)) {
        if (masked === bytes) masked = Buffer.from(bytes);
        masked.fill("*", at, at + Buffer.byteLength(text));
      }
    }
    return masked;
  };
  return { mask, maskBytes, longest };
}

/** Longest first, so that no secret is hidden in part by a shorter one that it contains. */
function collectHidden(manifest: Pick<Manifest, "keys" | "control" | "target">): readonly Hidden[] {
  const found = new Map<string, string>();
  const add = (text: string, shown: string): void => {
    if (text.length >= shortestMasked && !found.has(text)) found.set(text, shown);
  };
  const named: (readonly [secret: string, name: string])[] = Object.entries(manifest.keys).map(([name, key]) => [
    key.secret,
    `key:${name}`,
  ]);
  if (manifest.control) named.push([manifest.control.token, "control-token"]);
  for (const [name, value] of Object.entries(manifest.target.headers)) {
    if (isSecretHeader(name)) named.push([value.replace(/^(?:bearer|basic|token) +/i, ""), `header:${name.toLowerCase()}`]);
  }
  for (const [secret, name] of named) add(secret, `<${name}>`);
  for (const [secret, name] of named) {
    if (secret.length < shortestMasked) continue;
    for (const [how, altered] of alteredSecrets(secret)) add(altered, `<almost-${name}:${how}>`);
    add(secret.toLowerCase(), `<almost-${name}:lower-case>`);
    add(secret.toUpperCase(), `<almost-${name}:upper-case>`);
    add(encodeURIComponent(secret), `<${name}:url-encoded>`);
    for (const text of base64Forms(secret)) add(text, `<${name}:base64>`);
  }
  return [...found].map(([text, shown]) => ({ text, shown })).toSorted((a, b) => b.text.length - a.text.length);
}

/**
 * Base64 of any text that holds the secret, such as the whole Authorization field: what three characters make of three bytes
 * depends on where the secret begins among them. Characters that also depend on its neighbours are left out.
 */
function base64Forms(secret: string): readonly string[] {
  const length = Buffer.byteLength(secret);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString("base64");
    const inner = encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + length) * 4) / 3));
    return [...new Set([inner, inner.replaceAll("+", "-").replaceAll("/", "_")])];
  });
}
