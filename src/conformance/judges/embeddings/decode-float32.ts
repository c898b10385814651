/** Base64 of 32-bit floats in little-endian order; null when the text is no such thing, is empty or holds no finite numbers. */
export function decodeFloat32(text: string): readonly number[] | null {
  const binary = decodeBase64(text);
  if (binary === null || !holdsFinite(binary)) return null;
  const view = new DataView(new ArrayBuffer(binary.length));
  for (let index = 0; index < binary.length; index += 1) view.setUint8(index, binary.charCodeAt(index));
  return Array.from({ length: binary.length / 4 }, (_, index) => view.getFloat32(index * 4, true));
}

/** Whether `decodeFloat32` makes something of a text, at a fraction of its cost. */
export function isFloat32(text: string): boolean {
  const binary = decodeBase64(text);
  return binary !== null && holdsFinite(binary);
}

/**
 * The bytes of canonical base64 (RFC 4648, section 4), which is groups of four with padding only at the end, as characters;
 * null for other texts, and where they are no whole floats. `atob` also takes white space and lets padding be left out, but
 * then makes fewer bytes than a canonical text of that length holds.
 */
function decodeBase64(text: string): string | null {
  if (text === "" || text.length % 4 !== 0) return null;
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return null;
  }
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return binary.length === (text.length / 4) * 3 - padding && binary.length % 4 === 0 ? binary : null;
}

/** A float whose exponent has all its bits is infinite or no number (IEEE 754). */
function holdsFinite(binary: string): boolean {
  for (let last = 3; last < binary.length; last += 4) {
    if ((binary.charCodeAt(last) & 0x7f) === 0x7f && (binary.charCodeAt(last - 1) & 0x80) !== 0) return false;
  }
  return true;
}
