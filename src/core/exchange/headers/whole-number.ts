/** Digits, at most: all numbers of so many are exact as doubles. */
const digitsAtMost = 15;

/** The number that a text of digits alone writes; null for any other text, and for one of more than fifteen digits. */
export function readWholeNumber(text: string): number | null {
  if (text === "" || text.length > digitsAtMost) return null;
  let value = 0;
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return null;
    value = 10 * value + digit;
  }
  return value;
}
