import type { ExchangeHandler } from "../capture/exchange-handler.ts";
import { TransportError } from "../http/transport-error.ts";

/**
 * Gives exchanges up when their signal aborts. One listener a signal: thousands of exchanges share one, and taking a
 * listener off walks the list of all others.
 */
export interface SignalWatch {
  add(signal: AbortSignal, handler: ExchangeHandler): void;
  remove(signal: AbortSignal, handler: ExchangeHandler): void;
}

export function createSignalWatch(): SignalWatch {
  const handlers = new WeakMap<AbortSignal, Set<ExchangeHandler>>();
  return {
    add(signal, handler) {
      let set = handlers.get(signal);
      if (!set) {
        const created = new Set<ExchangeHandler>();
        handlers.set(signal, created);
        const giveUp = (): void => {
          for (const watched of created) watched.cancel(new TransportError("aborted", "the request was given up"));
        };
        signal.addEventListener("abort", giveUp, { once: true });
        set = created;
      }
      set.add(handler);
    },
    remove(signal, handler) {
      handlers.get(signal)?.delete(handler);
    },
  };
}
