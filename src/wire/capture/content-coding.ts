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
export type DecodedContent =
  | { readonly ok: true; readonly content: Buffer }
  | { readonly ok: false; readonly cause: "coding" | "unknown-coding" | "length" };

/** `length`: it gives more than `maxBytes`. */
export function decodeContent(bytes: Buffer, codings: readonly string[], maxBytes: number): DecodedContent {
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
