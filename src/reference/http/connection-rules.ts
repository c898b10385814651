/** How long a connection lives. */
export interface ConnectionRules {
  /** 0: any number. */
  readonly requestsAtMost: () => number;
  /** Time that an idle one is kept. */
  readonly idleMs: () => number;
}

export const lawfulConnectionRules: ConnectionRules = {
  requestsAtMost: () => 0,
  idleMs: () => 72_000,
};
