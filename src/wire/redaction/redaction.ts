import { createDeepMask } from "./deep-mask.ts";
import { namedSecrets, collectHiddenForms, type SecretSource, shortestMasked } from "./secret-forms.ts";
import { createTextFilter } from "./text-filter.ts";
import { maskEscaped } from "./mask-escaped.ts";

/** Takes every secret of the manifest out of what is recorded. */
export interface Redactor {
  /**
   * Secrets become `<key:NAME>`, re-encoded ones `<key:NAME:HOW>`: base64 at any alignment, base64url, hexadecimal, escapes of
   * URLs and of JSON. A key that is a little off, as we sometimes present it, becomes `<almost-key:NAME:HOW>`: a target that
   * sends it back gives no key away.
   */
  readonly mask: (text: string) => string;
  /**
   * The same, and what shows once the text is decoded in any way, and parts of a secret (see `createDeepMask`). Costs a hundred
   * times as much: for what is kept, not for each answer of load.
   */
  readonly maskDeep: (text: string) => string;
  /** The same for bytes that are no text: secrets are overwritten with asterisks of the same length. */
  readonly maskBytes: (bytes: Buffer) => Buffer;
  /** Length of the longest thing to hide, in UTF-16 units: text must not be cut closer than that before masking. */
  readonly longest: number;
}

/** Values of header fields and bodies come again and again. */
const textsKnown = 500;
const longestKnown = 4096;

/** `\\u0073`: the longest escape of one character. */
const longestEscape = 6;

/** To find all forms of thirty keys takes some 15 ms, and a run asks for the same at each stage and file. */
const redactors = new Map<string, Redactor>();
const redactorsKept = 4;

export function createRedactor(manifest: SecretSource): Redactor {
  const secrets = JSON.stringify(namedSecrets(manifest));
  const kept = redactors.get(secrets);
  if (kept !== undefined) return kept;
  const made = makeRedactor(manifest);
  if (redactors.size >= redactorsKept) redactors.clear();
  redactors.set(secrets, made);
  return made;
}

function makeRedactor(manifest: SecretSource): Redactor {
  const hidden = collectHiddenForms(manifest);
  const deep = createDeepMask(namedSecrets(manifest));
  const mayHold = createTextFilter(hidden.map(({ text }) => text));
  const longest = Math.max(0, ...hidden.map(({ text }) => text.length)) * longestEscape;
  const mask = (text: string): string => {
    // Nothing that short is hidden, and it need not be searched: most values of header fields are.
    if (text.length < shortestMasked) return text;
    let masked = text;
    if (mayHold(text)) for (const { text: secret, shown } of hidden) masked = masked.replaceAll(secret, () => shown);
    return masked.includes("%") || masked.includes("\\") ? maskEscaped(masked, hidden, mayHold) : masked;
  };
  const maskBytes = (bytes: Buffer): Buffer => {
    if (!mayHold(bytes.toString("latin1"))) return bytes;
    let masked = bytes;
    for (const { text } of hidden) {
      for (let at = masked.indexOf(text); at !== -1; at = masked.indexOf(text, at + 1)) {
        if (masked === bytes) masked = Buffer.from(bytes);
        masked.fill("*", at, at + Buffer.byteLength(text));
      }
    }
    return masked;
  };
  const known = new Map<string, string>();
  const maskDeep = (text: string): string => {
    if (text.length > longestKnown) return deep(mask(text));
    let masked = known.get(text);
    if (masked === undefined) {
      masked = deep(mask(text));
      if (known.size >= textsKnown) known.clear();
      known.set(text, masked);
    }
    return masked;
  };
  return { mask, maskDeep, maskBytes, longest };
}
