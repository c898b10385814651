import type { IncrementResponse, Store } from "express-rate-limit";
import { setTimeout as delay } from "node:timers/promises";

/** Stores of several instances, all over one server: each count is one atomic step there, some milliseconds away. */
export function createRemoteStores(windowMs: number): () => Store {
  const counts = new Map<string, { hits: number; resetMs: number }>();
  return () => ({
    async increment(key): Promise<IncrementResponse> {
      await delay(1 + Math.random() * 4);
      const known = counts.get(key);
      const count = known !== undefined && known.resetMs > Date.now() ? known : { hits: 0, resetMs: Date.now() + windowMs };
      counts.set(key, count);
      count.hits += 1;
      const totalHits = count.hits;
      const resetTime = new Date(count.resetMs);
      await delay(1 + Math.random() * 4);
      return { totalHits, resetTime };
    },
    decrement: () => undefined,
    resetKey: (key) => {
      counts.delete(key);
    },
  });
}
