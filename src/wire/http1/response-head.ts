import type { HeaderList } from "../../core/exchange/header-list.ts";

/** Head of a final response and what it says about the body that follows (RFC 9112 section 6.3). */
export interface ResponseHead {
  readonly status: number;
  /** In the order received, masked. */
  readonly headers: HeaderList;
  /** How the end of the body is reported: by its length in bytes, by the chunked coding, or by the end of the connection. */
  readonly body: number | "chunked" | "until-close";
  /** Whether the connection may carry another request. */
  readonly keepAlive: boolean;
  /** Seconds after which the server closes an idle connection, by its `Keep-Alive: timeout=N`; null when it reports none. */
  readonly idleSeconds: number | null;
}
