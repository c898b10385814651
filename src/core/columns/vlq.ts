const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const none = "-";
const valueOf: Int8Array = new Int8Array(128).fill(-1);
for (let value = 0; value < digits.length; value += 1) valueOf[digits.charCodeAt(value)] = value;

/**
 * Integers as text, null as `-`: base64 VLQ as in source maps (ECMA-426), where the lowest bit is the sign and every digit holds five
 * bits, the lowest first, and whether another follows. Throws RangeError for what is no safe integer.
 */
export function encodeVlq(values: readonly (number | null)[]): string {
  let text = "";
  for (const value of values) {
    if (value === null) {
      text += none;
      continue;
    }
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no safe integer`);
    const magnitude = Math.abs(value);
    let rest = Math.floor(magnitude / 16);
    text += digits[((magnitude % 16) << 1) | (value < 0 ? 1 : 0) | (rest > 0 ? 32 : 0)];
    while (rest > 0) {
      const low = rest % 32;
      rest = Math.floor(rest / 32);
      text += digits[low | (rest > 0 ? 32 : 0)];
    }
  }
  return text;
}

/** The integers again; null where the text is not `count` of them. */
export function decodeVlq(text: string, count: number): (number | null)[] | null {
  // Every value takes a digit: what claims more is refused before anything is allocated for it.
  if (count > text.length) return null;
  const values: (number | null)[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === none) {
      values.push(null);
      at += 1;
      continue;
    }
    let digit = valueOf[text.charCodeAt(at)] ?? -1;
    at += 1;
    if (digit < 0) return null;
    const negative = (digit & 1) === 1;
    let magnitude = (digit & 31) >> 1;
    let weight = 16;
    while ((digit & 32) !== 0) {
      digit = valueOf[text.charCodeAt(at)] ?? -1;
      at += 1;
      if (digit < 0) return null;
      magnitude += (digit & 31) * weight;
      weight *= 32;
      if (!Number.isSafeInteger(magnitude)) return null;
    }
    values.push(negative && magnitude > 0 ? -magnitude : magnitude);
  }
  return values.length === count ? values : null;
}
