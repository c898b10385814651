/** A text as it reads once something was decoded, and where each of its characters stands in the original. */
export interface DecodedView {
  readonly text: string;
  /** The original span of a character; null: this is the original. */
  readonly spans: { readonly from: Int32Array; readonly to: Int32Array } | null;
}

export function originalSpan({ spans }: DecodedView, from: number, to: number): readonly [from: number, to: number] {
  return spans === null ? [from, to] : [spans.from[from] ?? 0, spans.to[to - 1] ?? 0];
}

/** Collects the characters of a view that is decoded from another one. */
export class ViewBuilder {
  readonly #of: DecodedView;
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #pieces: string[] = [];

  constructor(of: DecodedView) {
    this.#of = of;
  }

  /** Adds characters each of which stands for the whole span of the other view. */
  put(text: string, from: number, to: number): void {
    const [start, end] = originalSpan(this.#of, from, to);
    for (let at = 0; at < text.length; at += 1) {
      this.#from.push(start);
      this.#to.push(end);
    }
    this.#pieces.push(text);
  }

  /** Characters as they are. */
  copy(from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const [start, end] = originalSpan(this.#of, at, at + 1);
      this.#from.push(start);
      this.#to.push(end);
    }
    this.#pieces.push(this.#of.text.slice(from, to));
  }

  view(): DecodedView {
    return { text: this.#pieces.join(""), spans: { from: Int32Array.from(this.#from), to: Int32Array.from(this.#to) } };
  }
}
