import type { HeaderList } from "../../core/exchange/headers/header-list.ts";

/** Header fields as undici hands them out, names and values in turn, as they are recorded: masked. */
export type HeaderReader = (rawHeaders: readonly Buffer[]) => HeaderList;

/**
 * Answers of one service have most fields in common, and thousands of streams that are open at once would each keep texts of
 * their own: a field that equals the one at its place in the answer before is recorded as the same pair.
 */
export function createHeaderReader(mask: (text: string) => string): HeaderReader {
  /** Fields of the answer before; null where something was masked, because secrets are looked for in every answer. */
  const before: (readonly [string, string] | null)[] = [];
  return (rawHeaders) => {
    const headers: (readonly [string, string])[] = [];
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]?.toString("latin1") ?? "";
      const value = rawHeaders[index + 1]?.toString("latin1") ?? "";
      const place = headers.length;
      const known = before[place] ?? null;
      if (known !== null && known[0] === name && known[1] === value) {
        headers.push(known);
        continue;
      }
      const field = [mask(name), mask(value)] as const;
      if (place < placesKept) before[place] = field[0] === name && field[1] === value ? field : null;
      headers.push(field);
    }
    return headers;
  };
}

/** A hostile answer may have thousands of fields. */
const placesKept = 64;
