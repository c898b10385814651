import { isUtf8 } from "node:buffer";

/**
 * Incremental UTF-8 decoder that also says whether all bytes were valid. Invalid bytes become U+FFFD as the Encoding
 * standard has it. A StringDecoder would decode as well, but cannot distinguish a replaced byte from a U+FFFD that was sent.
 */
export class Utf8Decoder {
  #carry: Buffer | null = null;
  #valid = true;

  /** False once any byte was not part of a valid sequence. */
  get valid(): boolean {
    return this.#valid;
  }

  /** Text of all characters that are complete by now. */
  write(chunk: Buffer): string {
    const bytes = this.#carry === null ? chunk : Buffer.concat([this.#carry, chunk]);
    const whole = bytes.length - incompleteTail(bytes);
    // A copy: the memory of a read may be used again for the next one.
    this.#carry = whole === bytes.length ? null : Buffer.from(bytes.subarray(whole));
    const complete = this.#carry === null ? bytes : bytes.subarray(0, whole);
    if (this.#valid && !isUtf8(complete)) this.#valid = false;
    return complete.toString("utf8");
  }

  /** The rest: bytes that never became a character. */
  end(): string {
    if (this.#carry === null) return "";
    const rest = this.#carry.toString("utf8");
    this.#carry = null;
    this.#valid = false;
    return rest;
  }
}

/** Number of bytes at the end that may be the start of a character. */
function incompleteTail(bytes: Buffer): number {
  const length = bytes.length;
  for (let back = 1; back <= 3 && back <= length; back += 1) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back && byte <= 0xf4 ? back : 0;
    }
  }
  return 0;
}
