import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { RateHeaders } from "./admission.ts";
import type { RefusalCode } from "./refusal.ts";

/** One decision of the engine with the counters it left; the service's own truth, for tests and the control plane. */
export interface JournalEntry {
  readonly seq: number;
  readonly atMs: number;
  readonly key: string | null;
  readonly endpoint: EndpointId | null;
  readonly event: "admitted" | "refused" | "queued" | "abandoned" | "settled" | "unadmitted" | "changed";
  readonly code: RefusalCode | null;
  readonly rate: RateHeaders | null;
  /** Micro-dollars of the key in this billing cycle: settled, and held for requests in flight. */
  readonly spentMicros: number | null;
  readonly heldMicros: number | null;
}

export interface Journal {
  /** Newest last. */
  entries(): readonly JournalEntry[];
  record(entry: Omit<JournalEntry, "seq">): void;
  clear(): void;
}

/** Keeps the last `capacity` entries; `seq` counts on. */
export function createJournal(capacity: number): Journal {
  const ring: JournalEntry[] = [];
  let seq = 0;
  return {
    entries: () => {
      const oldest = seq % capacity;
      return ring.length < capacity ? [...ring] : [...ring.slice(oldest), ...ring.slice(0, oldest)];
    },
    record: (entry) => {
      ring[seq % capacity] = { seq: seq + 1, ...entry };
      seq += 1;
    },
    clear: () => {
      ring.length = 0;
      seq = 0;
    },
  };
}
