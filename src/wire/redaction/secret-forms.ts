import type { Manifest } from "../../core/manifest.ts";
import type { NamedSecret } from "../../core/named-secret.ts";
import { alteredSecrets } from "./credential.ts";
import { headerSecretName } from "../../core/exchange/headers/header-secret-name.ts";
import { isSecretHeader } from "../../core/exchange/headers/secret-header.ts";

/** The members of a manifest that say which texts are secret. */
export type SecretSource = Pick<Manifest, "keys" | "control" | "target" | "secrets">;

/** A text to hide and what stands in its place. */
export interface HiddenForm {
  readonly text: string;
  readonly shown: string;
}

/** Below this length a secret would hide ordinary words; it is then masked in headers that hold nothing else only. */
export const shortestMasked = 6;

/**
 * Every form in which a target may send back what it was sent: secrets and the altered ones that cases present, as they are,
 * in base64 and in hexadecimal. Longest first, so that no secret is hidden in part by a shorter one that it contains.
 */
export function collectHiddenForms(manifest: SecretSource): readonly HiddenForm[] {
  const found = new Map<string, string>();
  const add = (text: string, shown: string): void => {
    if (text.length >= shortestMasked && !found.has(text)) found.set(text, shown);
  };
  const named = namedSecrets(manifest);
  for (const { value, name } of named) add(value, `<${name}>`);
  for (const { value: secret, name } of named) {
    if (secret.length < shortestMasked) continue;
    const altered = alteredSecrets(secret).filter(([, text]) => text !== secret && !named.some(({ value }) => value === text));
    for (const [how, text] of altered) add(text, `<almost-${name}:${how}>`);
    add(secret.toLowerCase(), `<almost-${name}:lower-case>`);
    add(secret.toUpperCase(), `<almost-${name}:upper-case>`);
    add(encodeURIComponent(secret), `<${name}:url-encoded>`);
    add(JSON.stringify(secret).slice(1, -1), `<${name}:escaped>`);
    for (const text of wholeBase64Forms(secret)) add(text, `<${name}:base64>`);
    // Without its last bits it may as well be an altered one.
    for (const text of base64Forms(secret)) add(text, `<almost-${name}:base64>`);
    for (const text of hexForms(secret)) add(text, `<${name}:hex>`);
    for (const [how, text] of altered) {
      for (const form of base64Forms(text)) add(form, `<almost-${name}:${how}:base64>`);
      for (const form of hexForms(text)) add(form, `<almost-${name}:${how}:hex>`);
    }
  }
  return [...found].map(([text, shown]) => ({ text, shown })).toSorted((a, b) => b.text.length - a.text.length);
}

/**
 * Base64 of any text that holds the secret, such as the whole Authorization field: what three characters make of three bytes
 * depends on where the secret begins among them. Characters that also depend on its neighbours are left out.
 */
function base64Forms(secret: string): readonly string[] {
  return alignments.flatMap((offset) => [...new Set([innerBase64(secret, offset), urlSafe(innerBase64(secret, offset))])]);
}

/** The same with all bits of the last byte: where it shares a character with its neighbour, that character for any neighbour. */
function wholeBase64Forms(secret: string): readonly string[] {
  const last = Buffer.from(secret).at(-1) ?? 0;
  return alignments.flatMap((offset) => {
    const inner = innerBase64(secret, offset);
    const missingBits = ((offset + Buffer.byteLength(secret)) * 8) % 6;
    const foreignBits = missingBits === 0 ? 0 : 6 - missingBits;
    const known = (last & ((1 << missingBits) - 1)) << foreignBits;
    const ends =
      missingBits === 0 ? [""] : Array.from({ length: 1 << foreignBits }, (_, bits) => base64Alphabet[known | bits] ?? "");
    return ends.flatMap((end) => [...new Set([inner + end, urlSafe(inner + end)])]);
  });
}

const alignments = [0, 1, 2] as const;
const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function innerBase64(secret: string, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString("base64");
  return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + Buffer.byteLength(secret)) * 4) / 3));
}

function urlSafe(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}

function hexForms(secret: string): readonly string[] {
  const hex = Buffer.from(secret).toString("hex");
  return [hex, hex.toUpperCase()];
}

/** Every secret of a manifest with the name that is shown in its place. */
export function namedSecrets(manifest: SecretSource): readonly NamedSecret[] {
  const named = Object.entries(manifest.keys).map(([name, key]) => credential(key.secret, `key:${name}`));
  if (manifest.control) named.push(credential(manifest.control.token, "control-token"));
  for (const [name, value] of Object.entries(manifest.target.headers)) {
    if (isSecretHeader(name, value))
      named.push(credential(value.replace(/^(?:bearer|basic|token) +/i, ""), headerSecretName(name)));
  }
  return [...named, ...(manifest.secrets ?? []).filter(({ value }) => !named.some((one) => one.value === value))];
}

function credential(value: string, name: string): NamedSecret {
  return { value, name, isCredential: true };
}
