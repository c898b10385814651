import { createHash, type Hash } from "node:crypto";

const batchBytes = 16_384;

/** SHA-256 over bytes that come in small pieces: they are handed to the hash in batches, as each hand-over costs about a microsecond. */
export class Digest {
  readonly #hash: Hash = createHash("sha256");
  #pieces: Buffer[] = [];
  #pending = 0;

  write(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#pending += piece.length;
    if (this.#pending >= batchBytes) this.#flush();
  }

  /** Hexadecimal. */
  end(): string {
    this.#flush();
    return this.#hash.digest("hex");
  }

  #flush(): void {
    if (this.#pending === 0) return;
    this.#hash.update(
      this.#pieces.length === 1 ? (this.#pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pieces, this.#pending),
    );
    this.#pieces = [];
    this.#pending = 0;
  }
}
