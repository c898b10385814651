/** A text with its percent-encoded parts decoded; as it is where they are no such parts, as in a password that holds a `%`. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
