import { type EmbeddingVectors, findEntry, isNumberArray } from "./embedding-answer.ts";

/** Width and byte order in which a reader may take base64 for numbers; the specification names neither (AMB-30). */
const readings = [
  { bytes: 4, littleEndian: true },
  { bytes: 4, littleEndian: false },
  { bytes: 8, littleEndian: true },
  { bytes: 8, littleEndian: false },
] as const;

/** The vectors that a base64 text can stand for, one for each reading under which it holds finite numbers only. */
function decodeFloats(text: string): readonly (readonly number[])[] {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return [];
  }
  const view = new DataView(Uint8Array.from(binary, (character) => character.charCodeAt(0)).buffer);
  return readings.flatMap(({ bytes, littleEndian }) => {
    if (binary.length === 0 || binary.length % bytes !== 0) return [];
    const numbers = Array.from({ length: binary.length / bytes }, (_, index) =>
      bytes === 4 ? view.getFloat32(index * bytes, littleEndian) : view.getFloat64(index * bytes, littleEndian),
    );
    return numbers.every((number) => Number.isFinite(number)) ? [numbers] : [];
  });
}

/** The vectors that the base64 text for one position of the input can stand for; numbers in its place are what they are (EMB-014). */
export function readEncoded({ entries }: Pick<EmbeddingVectors, "entries">, position: number): readonly (readonly number[])[] {
  const value = findEntry(entries, position)?.["embedding"];
  if (typeof value === "string") return decodeFloats(value);
  return isNumberArray(value) ? [value] : [];
}
