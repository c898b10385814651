import type { HeaderList } from "../../core/exchange/headers/header-list.ts";
import type { RecordedBody, RecordedStream } from "../../core/exchange/exchange.ts";
import { isNamed } from "../../core/is-named.ts";
import type { Redactor } from "../redaction/redaction.ts";
import { BodyCapture, type CapturePolicy, Digest, contentCodings } from "./body-capture.ts";
import { EventStream, type StreamBounds } from "./event-stream.ts";
import type { ReadStamp } from "./read-stamp.ts";

const noCodings: readonly string[] = [];

export interface ContentCaptureOptions {
  readonly policy: CapturePolicy;
  readonly redactor: Redactor;
  readonly bounds: StreamBounds;
}

/** The content of one response as its head announces it: a body, events as they come, or events within a compressed body. */
export class ContentCapture {
  readonly isStream: boolean;
  readonly #redactor: Redactor;
  readonly #bounds: StreamBounds;
  readonly #body: BodyCapture | null;
  #stream: EventStream | null;
  readonly #streamDigest: Digest | null;
  #bytes = 0;
  #firstByteMs: number | null = null;

  constructor(headers: HeaderList, { policy, redactor, bounds }: ContentCaptureOptions) {
    const codings = contentCodings(headers);
    this.isStream = isEventStream(headers);
    this.#redactor = redactor;
    this.#bounds = bounds;
    const readsEvents = this.isStream && codings.length === 0;
    this.#stream = readsEvents ? new EventStream(bounds) : null;
    this.#streamDigest = readsEvents && policy.digests ? new Digest() : null;
    this.#body = readsEvents ? null : new BodyCapture(policy, redactor, codings.length > 0 ? codings : noCodings, bounds.take);
  }

  /** Bytes as they were on the wire. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Events of a stream that have come; -1 where this is none. */
  get events(): number {
    return this.#stream?.count ?? -1;
  }

  /** Null until a byte came. */
  get firstByteMs(): number | null {
    return this.#firstByteMs;
  }

  /** Which bound the events exceeded, so that they are not all there; null where they are. */
  get exceeded(): string | null {
    return this.#stream?.exceeded ?? null;
  }

  /** `lasting`: the bytes of the piece stay as they are. */
  write(piece: Buffer, stamp: ReadStamp, lasting: boolean): void {
    this.#firstByteMs ??= stamp.atMs;
    this.#bytes += piece.length;
    if (this.#stream) {
      this.#stream.write(piece, stamp);
      this.#streamDigest?.write(lasting ? piece : Buffer.from(piece));
    } else {
      this.#body?.write(lasting ? piece : Buffer.from(piece));
    }
  }

  /** The record of it; nothing may be written afterwards. `stamp`: of the last read. */
  end(stamp: ReadStamp): { readonly body: RecordedBody | null; readonly stream: RecordedStream | null } {
    if (this.isStream && this.#body !== null) this.#readCodedStream(this.#body, stamp);
    if (this.#stream === null) return { body: this.#body?.end() ?? null, stream: null };
    const pendingAtEnd = this.#stream.end();
    const sha256 = this.#streamDigest?.end() ?? this.#body?.end().sha256 ?? "";
    const { comments, validUtf8, errorField, beginning } = this.#stream;
    const events = this.#stream.list(this.#redactor.mask);
    const error = errorField ? ({ errorField: true } as const) : null;
    const begins = beginning === "" ? null : { beginning: this.#redactor.mask(beginning).slice(0, beginningShown) };
    return { body: null, stream: { events, comments, pendingAtEnd, validUtf8, ...error, ...begins, bytes: this.#bytes, sha256 } };
  }

  /** Events of a stream that came compressed, although none was asked for: when each of them arrived cannot be known. */
  #readCodedStream(body: BodyCapture, stamp: ReadStamp): void {
    const decoded = body.decode();
    if (!decoded.ok || decoded.content.length === 0) return;
    const { content } = decoded;
    this.#stream = new EventStream(this.#bounds);
    this.#stream.write(content, { ...stamp, earliestMs: Math.min(this.#firstByteMs ?? stamp.atMs, stamp.earliestMs) });
  }
}

const beginningShown = 200;

function isEventStream(headers: HeaderList): boolean {
  for (const [name, value] of headers) {
    if (isNamed(name, "content-type") && /^\s*text\/event-stream\s*(?:;|$)/i.test(value)) return true;
  }
  return false;
}
