import type { UsageEvent } from "./usage-event.ts";

/** Grows by one row per billed response: 48 bytes instead of an object, so that a soak of millions fits. */
export interface EventTable {
  push(event: UsageEvent): void;
  readonly size: number;
  at(row: number): UsageEvent;
}

type Source = Pick<UsageEvent, "account" | "keyId" | "endpoint" | "streaming" | "aborted">;

const columns = 6;
const firstRows = 1024;

export function createEventTable(events: Iterable<UsageEvent> = []): EventTable {
  let cells = new Float64Array(firstRows * columns);
  let size = 0;
  // Few sources account for all events: keys x endpoints x kinds of response.
  const sources: Source[] = [];
  const indexes = new Map<string, number>();

  const sourceIndex = ({ account, keyId, endpoint, streaming, aborted }: UsageEvent): number => {
    const name = `${account} ${keyId} ${endpoint} ${String(streaming)} ${String(aborted)}`;
    const known = indexes.get(name);
    if (known !== undefined) return known;
    indexes.set(name, sources.length);
    return sources.push({ account, keyId, endpoint, streaming, aborted }) - 1;
  };

  const push = (event: UsageEvent): void => {
    if ((size + 1) * columns > cells.length) {
      const larger = new Float64Array(cells.length * 2);
      larger.set(cells);
      cells = larger;
    }
    const { atMs, items, promptTokens, completionTokens, costMicros } = event;
    cells.set([atMs, sourceIndex(event), items, promptTokens, completionTokens, costMicros], size * columns);
    size += 1;
  };
  for (const event of events) push(event);

  return {
    push,
    get size() {
      return size;
    },
    at: (row) => {
      const start = row * columns;
      return {
        ...sources[cells[start + 1]!]!,
        atMs: cells[start]!,
        items: cells[start + 2]!,
        promptTokens: cells[start + 3]!,
        completionTokens: cells[start + 4]!,
        costMicros: cells[start + 5]!,
      };
    },
  };
}
