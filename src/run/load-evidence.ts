import { setImmediate as nextTurn } from "node:timers/promises";
import type { Exchange } from "../core/exchange/exchange.ts";
import { maskRecord } from "./record/mask-record.ts";

/** Answers of load that are kept, from when they come until they are masked and recorded. */
export interface LoadEvidence {
  add(exchange: Exchange, mask: (text: string) => string): void;
  /** Records what was added, and lets the loop turn between two of them. Nothing may be sent meanwhile. */
  settle(): Promise<void>;
  /** The same at once, where the run ends. */
  settleNow(): void;
}

/**
 * To mask an answer for good takes some 50 us an event, and a loop that does it measures what it does itself: nothing is masked
 * while a profile is sent.
 */
export function createLoadEvidence(record: (exchange: Exchange) => void): LoadEvidence {
  const held: { readonly exchange: Exchange; readonly mask: (text: string) => string }[] = [];
  const recordFirst = (): void => {
    const first = held.shift();
    if (first !== undefined) record(maskRecord(first.exchange, first.mask));
  };
  return {
    add: (exchange, mask) => void held.push({ exchange, mask }),
    async settle() {
      while (held.length > 0) {
        recordFirst();
        await nextTurn();
      }
    },
    settleNow() {
      while (held.length > 0) recordFirst();
    },
  };
}
