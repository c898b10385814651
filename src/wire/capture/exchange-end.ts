import type { RecordedResponse, TransportFailure } from "../../core/exchange/exchange.ts";

/** How an exchange ended. */
export interface ExchangeEnd {
  /** Of the response head; null where none came. */
  readonly status: number | null;
  /** Whether the end is known to be a failure; reading what came may show another one. */
  readonly failed: boolean;
  /** The client went away on purpose. */
  readonly left: boolean;
  /** Reads and masks the answer, for the record. */
  readonly describe: () => DescribedOutcome;
  readonly sentMs: number | null;
  readonly wallMs: number;
  readonly headersMs: number | null;
  readonly firstByteMs: number | null;
  readonly endMs: number;
  /** By how much this thread was late at most meanwhile; null where nothing was sent. */
  readonly lateMs: number | null;
  readonly connection: { readonly id: number; readonly reused: boolean } | null;
  /** The slot still holds the request: it must not be used again. */
  readonly slotStuck: boolean;
}

export interface DescribedOutcome {
  readonly response: RecordedResponse | null;
  readonly failure: TransportFailure | null;
  /** Bytes of the account that the response takes as long as it is kept. */
  readonly heldBytes: number;
}
