import type { Redis } from "ioredis";

const pings = 10;

/** Milliseconds to the broker and back: the shortest of some. */
export async function measureRoundTrip(redis: Redis): Promise<number> {
  let shortestMs = Infinity;
  for (let ping = 0; ping < pings; ping += 1) {
    const askedMs = performance.now();
    await redis.ping();
    shortestMs = Math.min(shortestMs, performance.now() - askedMs);
  }
  return shortestMs;
}
