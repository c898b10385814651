import { createRandom, hashString } from "../../core/random.ts";

/** Length of the vectors of the embedding model when the request names none; also the greatest that may be asked for. */
export const nativeDimensions = 512;

/** Unit-norm vector, a function of seed, model and text alone; fewer dimensions are a renormalised prefix of the native ones. */
export function embed(seed: number, model: string, text: string, dimensions: number = nativeDimensions): Float32Array {
  const random = createRandom(hashString(`${seed}/${model}/${text}`));
  const vector = new Float32Array(dimensions);
  let squares = 0;
  for (let index = 0; index < dimensions; index += 1) {
    const value = random.next() * 2 - 1;
    vector[index] = value;
    squares += value * value;
  }
  const norm = Math.sqrt(squares) || 1;
  for (let index = 0; index < dimensions; index += 1) vector[index] = (vector[index] ?? 0) / norm;
  return vector;
}

/** Little-endian float32, whatever the byte order of this machine. */
export function toBase64(vector: Float32Array): string {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  return bytes.toString("base64");
}
