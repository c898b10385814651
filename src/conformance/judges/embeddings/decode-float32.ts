/** Canonical base64 (RFC 4648, section 4): groups of four, padding only at the end. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Base64 of 32-bit floats in little-endian order; null when the text is no such thing, is empty or holds no finite numbers. */
export function decodeFloat32(text: string): readonly number[] | null {
  if (text === "" || !base64.test(text)) return null;
  const binary = atob(text);
  if (binary.length % 4 !== 0) return null;
  const view = new DataView(new ArrayBuffer(binary.length));
  for (let index = 0; index < binary.length; index += 1) view.setUint8(index, binary.charCodeAt(index));
  const numbers = Array.from({ length: binary.length / 4 }, (_, index) => view.getFloat32(index * 4, true));
  return numbers.every((value) => Number.isFinite(value)) ? numbers : null;
}
