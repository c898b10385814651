/**
 * A text with its percent-encoded characters decoded, those that are no UTF-8 left as they are. Each by itself: a parser of URLs encodes
 * some characters of a password that holds a `%`, and leaves the `%` as it is.
 */
export function percentDecoded(text: string): string {
  return text.replaceAll(/%[0-7][0-9a-f]|(?:%[89a-f][0-9a-f])+/gi, (part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}
