import { isUtf8 } from "node:buffer";
import { createHash, type Hash } from "node:crypto";
import type { RecordedBody, UnreadBody } from "../../core/exchange/exchange.ts";
import { BlobShortener } from "./blob-shortener.ts";
import { JsonScanner } from "./json-scanner.ts";
import type { Redactor } from "../redaction/redaction.ts";
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import type { HeaderList } from "../../core/exchange/headers/header-list.ts";
import { isNamed } from "../../core/is-named.ts";

/** Codings of a body in the order in which they were applied (RFC 9110 section 8.4); empty for nearly all. */
export function contentCodings(headers: HeaderList): readonly string[] {
  let codings: string[] | null = null;
  for (const [name, value] of headers) {
    if (isNamed(name, "content-encoding"))
      (codings ??= []).push(...value.split(",").map((coding) => coding.trim().toLowerCase()));
  }
  return codings === null ? none : codings.filter((coding) => coding !== "" && coding !== "identity");
}

const none: readonly string[] = [];

const mostCodings = 3;

/** The content behind its codings, or what is in the way. */
type DecodedContent =
  | { readonly ok: true; readonly content: Buffer }
  | { readonly ok: false; readonly cause: "coding" | "unknown-coding" | "length" };

/** `length`: it gives more than `maxBytes`. */
function decodeContent(bytes: Buffer, codings: readonly string[], maxBytes: number): DecodedContent {
  // Every coding may enlarge the body up to the bound once more, and no service has a reason for many.
  if (codings.length > mostCodings || codings.some((coding) => !knownCodings.has(coding)))
    return { ok: false, cause: "unknown-coding" };
  try {
    return { ok: true, content: codings.toReversed().reduce((coded, coding) => decodeOne(coded, coding, maxBytes), bytes) };
  } catch (error) {
    const isLong = error instanceof RangeError && (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return { ok: false, cause: isLong ? "length" : "coding" };
  }
}

const knownCodings: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br"]);

function decodeOne(bytes: Buffer, coding: string, maxOutputLength: number): Buffer {
  // A body that broke off is decoded as far as it arrived.
  const options = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH };
  switch (coding) {
    case "deflate":
      // Some servers send the format of RFC 1951 where RFC 9110 section 8.4.1.2 means that of RFC 1950.
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
    case "br":
      return brotliDecompressSync(bytes, { maxOutputLength, finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      return gunzipSync(bytes, options);
  }
}

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

/** How much of bodies is kept. */
export interface CapturePolicy {
  /** Bytes of text kept of one body. */
  readonly textBytes: number;
  /** Bytes kept of a body that is not text. */
  readonly binaryBytes: number;
  /** Whether SHA-256 is computed; an empty string is recorded otherwise. */
  readonly digests: boolean;
}

/** Memory that a piece takes beside its bytes. A body that arrives byte by byte takes mostly this. */
const pieceBytes = 96;

/** So much is shown of a body that is text instead of what its coding would give. */
const plainBytes = 1024;

/** A compressed body is not decoded where that would take more than this many times what is kept of a text. */
const contentAtMost = 16;

/**
 * Collects one body as it arrives: counts and hashes all of it, keeps its beginning. The bound is one of memory: what is longer is
 * looked at as it passes by.
 */
export class BodyCapture {
  bytes = 0;
  readonly #policy: CapturePolicy;
  readonly #redactor: Redactor;
  readonly #keepBytes: number;
  readonly #digest: Digest | null;
  readonly #chunks: Buffer[] = [];
  readonly #codings: readonly string[];
  readonly #take: (bytes: number) => boolean;
  #kept = 0;
  /** Whether there was no room to keep more. */
  #full = false;
  /** Reads what is not kept. */
  #passing: PassingJson | null = null;

  /** `take`: whether so many more bytes may be held. */
  constructor(policy: CapturePolicy, redactor: Redactor, codings: readonly string[], take: (bytes: number) => boolean) {
    this.#take = take;
    this.#policy = policy;
    this.#redactor = redactor;
    this.#codings = codings;
    // Enough beyond the limit that a secret across the cut is still seen whole.
    this.#keepBytes = policy.textBytes + redactor.longest * 4;
    this.#digest = policy.digests ? new Digest() : null;
  }

  write(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#digest?.write(chunk);
    const before = this.#kept;
    if (before < this.#keepBytes && !this.#full) this.#keep(chunk);
    if (this.#kept < this.bytes && this.#codings.length === 0) this.#scan(chunk, before);
  }

  end(): RecordedBody {
    const sha256 = this.#digest?.end() ?? "";
    if (this.#codings.length === 0) {
      const body = describeBody(this.#join(), this.bytes, sha256, this.#policy, this.#redactor);
      if (!body.truncated || body.text === undefined) return body;
      const { malformed, short } = this.#passing?.end() ?? readWhole(this.#join(), this.#policy, this.#redactor);
      if (short !== null && !this.#full) return { bytes: this.bytes, sha256, text: short, truncated: false, shortened: true };
      return { ...body, unread: { cause: this.#full ? "room" : "length", malformed } };
    }
    const decoded = this.decode();
    // A body that cannot be decoded may hold a secret and shows nothing, so none of it is kept. Nor is one that decodes to more
    // than there is room for.
    if (!decoded.ok) {
      const unread = { cause: this.#full ? "room" : decoded.cause } as const;
      return unread.cause === "coding" ? this.#showPlain(sha256, unread) : this.#hide(sha256, unread);
    }
    const { content } = decoded;
    if (!this.#take(Math.min(content.length, this.#policy.textBytes)))
      return this.#hide(sha256, { cause: "room", malformed: readWhole(content, this.#policy, this.#redactor).malformed });
    const body = describeBody(content, content.length, sha256, this.#policy, this.#redactor);
    if (!body.truncated || body.text === undefined) return { ...body, bytes: this.bytes };
    const { malformed, short } = readWhole(content, this.#policy, this.#redactor);
    if (short !== null) return { bytes: this.bytes, sha256, text: short, truncated: false, shortened: true };
    return { ...body, bytes: this.bytes, unread: { cause: "length", malformed } };
  }

  /** The content behind the codings. */
  decode(): DecodedContent {
    if (this.bytes === 0) return { ok: true, content: Buffer.alloc(0) };
    const decoded = decodeContent(this.#join(), this.#codings, contentAtMost * this.#policy.textBytes);
    // The beginning shows whether the coding fits.
    return this.#kept < this.bytes && decoded.ok ? { ok: false, cause: "length" } : decoded;
  }

  #keep(chunk: Buffer): void {
    const part = chunk.length > this.#keepBytes - this.#kept ? chunk.subarray(0, this.#keepBytes - this.#kept) : chunk;
    if (!this.#take(part.length + pieceBytes)) {
      this.#full = true;
      return;
    }
    this.#chunks.push(part);
    this.#kept += part.length;
  }

  /** `before`: bytes that were kept when the piece came. */
  #scan(chunk: Buffer, before: number): void {
    if (this.#passing === null) {
      this.#passing = new PassingJson(this.#policy, this.#redactor);
      this.#passing.write(this.#join().subarray(0, before));
    }
    this.#passing.write(chunk);
  }

  /** A text was sent without the coding that its head names, and is shown. */
  #showPlain(sha256: string, unread: UnreadBody): RecordedBody {
    const kept = this.#join();
    if (!isUtf8(trimToCharacter(kept))) return this.#hide(sha256, unread);
    const policy = { ...this.#policy, textBytes: Math.min(this.#policy.textBytes, plainBytes) };
    const { text = "" } = describeBody(kept, this.bytes, sha256, policy, this.#redactor);
    return { bytes: this.bytes, sha256, text, truncated: true, unread };
  }

  #hide(sha256: string, unread: UnreadBody): RecordedBody {
    return { bytes: this.bytes, sha256, base64: "", truncated: this.bytes > 0, unread };
  }

  #join(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks);
  }
}

/** Records a body that is there in full. */
export function recordBody(bytes: Buffer, policy: CapturePolicy, redactor: Redactor): RecordedBody {
  const sha256 = policy.digests ? createHash("sha256").update(bytes).digest("hex") : "";
  return describeBody(bytes.subarray(0, policy.textBytes + redactor.longest * 4), bytes.length, sha256, policy, redactor);
}

/** A text that is too long to be kept, as it passes by. */
class PassingJson {
  readonly #scanner = new JsonScanner();
  readonly #shortener: BlobShortener;
  readonly #policy: CapturePolicy;
  readonly #redactor: Redactor;

  constructor(policy: CapturePolicy, redactor: Redactor) {
    const marginBytes = redactor.longest * 4;
    this.#shortener = new BlobShortener({ mostBytes: policy.textBytes, mask: redactor.mask, marginBytes });
    this.#policy = policy;
    this.#redactor = redactor;
  }

  write(piece: Buffer): void {
    this.#scanner.write(piece);
    this.#shortener.write(piece);
  }

  /** The first fault of it as JSON; all of it with its pictures shortened, where it is short enough then. */
  end(): { readonly malformed: string | null; readonly short: string | null } {
    const malformed = this.#scanner.end();
    const copy = malformed === null ? this.#shortener.end() : null;
    const short = copy === null ? null : this.#redactor.mask(copy.toString("utf8"));
    return { malformed, short: short === null || short.length > this.#policy.textBytes ? null : short };
  }
}

const pieceOfWhole = 65_536;

function readWhole(content: Buffer, policy: CapturePolicy, redactor: Redactor): ReturnType<PassingJson["end"]> {
  const passing = new PassingJson(policy, redactor);
  for (let at = 0; at < content.length; at += pieceOfWhole) passing.write(content.subarray(at, at + pieceOfWhole));
  return passing.end();
}

function describeBody(kept: Buffer, total: number, sha256: string, policy: CapturePolicy, redactor: Redactor): RecordedBody {
  const whole = kept.length === total;
  const textual = isUtf8(whole ? kept : trimToCharacter(kept));
  // A secret may lie across the end of what was kept: so much of it is looked at and left out.
  const certainBytes = whole ? total : Math.max(0, kept.length - 4 * redactor.longest);
  if (!textual) {
    const shownBytes = Math.min(policy.binaryBytes, certainBytes);
    const base64 = redactor.maskBytes(kept).subarray(0, shownBytes).toString("base64");
    return { bytes: total, sha256, base64, truncated: total > shownBytes };
  }
  if (whole && total <= policy.textBytes) {
    return { bytes: total, sha256, text: redactor.mask(kept.toString("utf8")), truncated: false };
  }
  const text = redactor.mask(trimToCharacter(kept).toString("utf8"));
  const shown = trimToCharacter(Buffer.from(text).subarray(0, Math.min(policy.textBytes, certainBytes)));
  return { bytes: total, sha256, text: shown.toString("utf8"), truncated: true };
}

/** Without the bytes of a last character that was cut. */
function trimToCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= 4 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}
