import type { NamedSecret } from "../core/named-secret.ts";

/** A text of the manifest or about it, with the names of values in the place of the values. */
export function hideValues(text: string, secrets: readonly NamedSecret[]): string {
  return secrets
    .toSorted((one, other) => other.value.length - one.value.length)
    .reduce((shown, { value, name }) => (value.length < shortest ? shown : shown.replaceAll(value, () => `<${name}>`)), text);
}

/** Below this length a value would hide ordinary words. */
const shortest = 8;
