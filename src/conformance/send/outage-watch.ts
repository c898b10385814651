import type { Exchange } from "../../core/exchange/exchange.ts";
import { isAlive } from "../verdict/find-outage.ts";

/** Answers in a row that show no service at work before the rest is not sent: every case would only wait for its time-outs. */
const patience = 24;

export interface OutageWatch {
  readonly observe: (exchange: Exchange) => void;
  readonly isOut: () => boolean;
}

/** Notices while cases are sent that the target stopped answering. */
export function createOutageWatch(): OutageWatch {
  let inARow = 0;
  return {
    observe: (exchange) => {
      if (exchange.intent.kind === "violates" && exchange.intent.condition === "fault-trigger") return;
      inARow = isAlive(exchange) ? 0 : inARow + 1;
    },
    isOut: () => inARow >= patience,
  };
}
