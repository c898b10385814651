import type { HeaderList } from "../../../src/core/exchange/headers/header-list.ts";
import { createHeadReader } from "../../../src/wire/http1/head-reader.ts";
import { ResponseReader } from "../../../src/wire/http1/response-reader.ts";
import { TransportError } from "../../../src/wire/http/transport-error.ts";

export interface Reading {
  readonly status: number | null;
  readonly headers: HeaderList;
  /** A character for each byte. */
  readonly body: string;
  readonly keepAlive: boolean | null;
  /** Place after the end of the response, null where it goes on. */
  readonly end: number | null;
  readonly untilClose: boolean;
  readonly failure: string | null;
  readonly message: string;
}

/**
 * Reads one response in pieces of these sizes, again and again, each at the start of the same memory, as a socket is read; what
 * the memory held is overwritten after each. Lets nothing but a TransportError pass for a refusal.
 */
export function readInPieces(bytes: Buffer, sizes: readonly number[], method = "GET"): Reading {
  const memory = Buffer.alloc(Math.max(1, ...sizes));
  const body: Buffer[] = [];
  const reader = new ResponseReader(
    createHeadReader((text) => text),
    {
      onHead: () => {},
      onData: (piece) => {
        body.push(Buffer.from(piece));
      },
    },
  );
  reader.begin(method);
  let end: number | null = null;
  let failure: TransportError | null = null;
  try {
    for (let at = 0, turn = 0; at < bytes.length && end === null; turn += 1) {
      const size = Math.min(sizes[turn % sizes.length] ?? 1, bytes.length - at);
      bytes.copy(memory, 0, at, at + size);
      const place = reader.read(memory, 0, size);
      memory.fill(0xee, 0, size);
      if (place !== -1) end = at + place;
      at += size;
    }
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    failure = error;
  }
  const { head } = reader;
  return {
    status: head?.status ?? null,
    headers: head?.headers ?? [],
    body: Buffer.concat(body).toString("latin1"),
    keepAlive: head?.keepAlive ?? null,
    end,
    untilClose: reader.endsWithConnection(),
    failure: failure?.kind ?? null,
    message: failure?.message ?? "",
  };
}
