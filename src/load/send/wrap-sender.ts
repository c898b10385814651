import type { LoadSender } from "./load-sender.ts";

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
