/**
 * Which readings of wide answers are kept: the last ones, as far as the bytes of their texts go. A value read from JSON may
 * take twenty times the memory of its text, so that a record of wide answers fits into memory only while most are unread.
 */
export class RecentReadings<Reading extends object> {
  readonly #bytes = new Map<Reading, number>();
  readonly #mostBytes: number;
  readonly #forget: (reading: Reading) => void;
  #total = 0;

  constructor(mostBytes: number, forget: (reading: Reading) => void) {
    this.#mostBytes = mostBytes;
    this.#forget = forget;
  }

  /** Keeps a reading that stands for a text of so many bytes, and forgets the oldest ones that have no room beside it. */
  keep(reading: Reading, bytes: number): void {
    if (this.#bytes.has(reading)) return;
    for (const [oldest, freed] of this.#bytes) {
      if (this.#total + bytes <= this.#mostBytes) break;
      this.#bytes.delete(oldest);
      this.#total -= freed;
      this.#forget(oldest);
    }
    this.#bytes.set(reading, bytes);
    this.#total += bytes;
  }
}
