import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { RecordedBody } from "../../core/exchange/exchange.ts";
import { decodeContent } from "./content-coding.ts";
import { Digest } from "./digest.ts";
import type { Redactor } from "../redaction/redaction.ts";

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

/** A compressed body is not decoded where that would take more than this many times what is kept of a text. */
const contentAtMost = 16;

/** Collects one body as it arrives: counts and hashes all of it, keeps its beginning. */
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
    if (this.#kept < this.#keepBytes && !this.#full) {
      const part = chunk.length > this.#keepBytes - this.#kept ? chunk.subarray(0, this.#keepBytes - this.#kept) : chunk;
      if (!this.#take(part.length + pieceBytes)) {
        this.#full = true;
        return;
      }
      this.#chunks.push(part);
      this.#kept += part.length;
    }
  }

  end(): RecordedBody {
    const sha256 = this.#digest?.end() ?? "";
    if (this.#codings.length === 0) return describeBody(this.#join(), this.bytes, sha256, this.#policy, this.#redactor);
    const content = this.decode();
    // A body that cannot be decoded may hold a secret and shows nothing, so none of it is kept. Nor is one that decodes to more
    // than there is room for.
    if (content === null || !this.#take(Math.min(content.length, this.#policy.textBytes)))
      return { bytes: this.bytes, sha256, base64: "", truncated: this.bytes > 0 };
    return { ...describeBody(content, content.length, sha256, this.#policy, this.#redactor), bytes: this.bytes };
  }

  /** The body once its codings are taken back; null if it cannot be known. */
  decode(): Buffer | null {
    if (this.bytes === 0) return Buffer.alloc(0);
    return this.#kept < this.bytes ? null : decodeContent(this.#join(), this.#codings, contentAtMost * this.#policy.textBytes);
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
