import type { IncomingMessage, ServerResponse } from "node:http";

/** How long a connection lives, and what is done when the head of a request has come. */
export interface ConnectionRules {
  /** 0: any number. */
  readonly requestsAtMost: () => number;
  /** Time that an idle one is kept. */
  readonly idleMs: () => number;
  /** The path that routes are looked up by. */
  readonly routed: (path: string) => string;
  /** Whether a client that expects it is asked for the body. */
  readonly asksForBody: () => boolean;
  /** Called before the body of a request is read. */
  readonly arrived: (incoming: IncomingMessage, response: ServerResponse) => void;
}

export const lawfulConnectionRules: ConnectionRules = {
  requestsAtMost: () => 0,
  idleMs: () => 72_000,
  routed: (path) => path,
  asksForBody: () => true,
  arrived: () => undefined,
};
