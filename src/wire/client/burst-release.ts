import type { Socket } from "node:net";
import type { ExchangeEnd } from "../capture/exchange-end.ts";
import type { ExchangeHandler } from "../capture/exchange-handler.ts";
import type { ConnectionSlot } from "../connection/connection-slot.ts";

/**
 * Releases the requests of a burst at once. All connections are opened first; then every request is written into its corked
 * socket; when all are, the sockets are uncorked in one turn of the loop. Only the network spreads their arrival at the target.
 */
export interface BurstRelease {
  /** Takes part with one slot; `transfer` sends the request once all slots are ready. */
  join(
    slot: ConnectionSlot,
    transfer: (arrange: (handler: ExchangeHandler) => void) => Promise<ExchangeEnd>,
  ): Promise<ExchangeEnd>;
}

interface Held {
  readonly handler: ExchangeHandler;
  /** null: the request went over a connection that was not held back. */
  readonly socket: Socket | null;
}

export function createBurstRelease(size: number): BurstRelease {
  const ready = createBarrier(size);
  const written = createBarrier(size);
  const held: Held[] = [];

  // The last write happens right after its callback: a turn later all bytes are in the corked sockets.
  void written.passed.then(() => setImmediate(release));

  function release(): void {
    for (const { handler, socket } of held) {
      if (socket) handler.markReleased();
      handler.startDeadline();
    }
    for (const { socket } of held) socket?.uncork();
  }

  return {
    async join(slot, transfer) {
      // A slot that cannot connect says so when its request is dispatched.
      await slot.warm().catch(() => {});
      const corked = slot.socket;
      corked?.cork();
      ready.arrive();
      await ready.passed;
      let arrived = false;
      const arrive = (): void => {
        if (!arrived) written.arrive();
        arrived = true;
      };
      const outcome = await transfer((handler) => {
        handler.onWritten = (connection) => {
          held.push({ handler, socket: connection !== null && connection.socket === corked ? corked : null });
          arrive();
        };
      });
      arrive();
      return outcome;
    },
  };
}

/** Passed once `size` participants have arrived. */
function createBarrier(size: number): { readonly passed: Promise<void>; arrive(): void } {
  let missing = size;
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  if (missing === 0) open();
  return {
    passed,
    arrive() {
      missing -= 1;
      if (missing === 0) open();
    },
  };
}
