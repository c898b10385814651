import type { Sender } from "../../core/exchange/send-request.ts";

/** The wire, or what stands for it. */
export interface LoadSender extends Sender {
  /** Opens connections ahead of the first send. */
  readonly warm?: (connections: readonly number[]) => Promise<unknown>;
  /** Ends everything in flight as aborted, with what was received of it. */
  readonly giveUp?: () => void;
}

/** A sender whose requests go another way; what it can do beside sending stays its own. */
export function wrapSender(sender: LoadSender, send: LoadSender["send"]): LoadSender {
  return {
    send,
    burst: (requests) => Promise.all(requests.map((request) => send(request))),
    ...(sender.warm === undefined
      ? {}
      : { warm: (connections: readonly number[]) => sender.warm?.(connections) ?? Promise.resolve() }),
    ...(sender.giveUp === undefined ? {} : { giveUp: () => sender.giveUp?.() }),
  };
}
