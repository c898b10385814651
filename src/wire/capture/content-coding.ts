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

/** The content behind its codings; null for one that is not known, does not fit, or gives more than `maxBytes`. */
export function decodeContent(bytes: Buffer, codings: readonly string[], maxBytes: number): Buffer | null {
  // Every coding may enlarge the body up to the bound once more, and no service has a reason for many.
  if (codings.length > mostCodings) return null;
  try {
    return codings.toReversed().reduce((coded, coding) => decodeOne(coded, coding, maxBytes), bytes);
  } catch {
    return null;
  }
}

function decodeOne(bytes: Buffer, coding: string, maxOutputLength: number): Buffer {
  // A body that broke off is decoded as far as it arrived.
  const options = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH };
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return gunzipSync(bytes, options);
    case "deflate":
      // Some servers send the format of RFC 1951 where RFC 9110 section 8.4.1.2 means that of RFC 1950.
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
    case "br":
      return brotliDecompressSync(bytes, { maxOutputLength, finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      throw new RangeError(`the coding ${coding} is not known`);
  }
}
