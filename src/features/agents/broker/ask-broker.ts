import type { Redis } from "ioredis";

const waitMs = 5000;

/**
 * The first question over a connection that was just opened; a broker may be starting still. The error says why it was not
 * reached.
 */
export async function firstAnswer<Value>(redis: Redis, asked: Promise<Value>): Promise<Value> {
  let last: Error | null = null;
  const keep = (error: Error): void => {
    last = error;
  };
  redis.on("error", keep);
  try {
    return await within(waitMs, asked);
  } catch (error) {
    throw withAdvice(last ?? error);
  } finally {
    redis.off("error", keep);
  }
}

/** A broker that wants a password says so in its own words, which do not name the variable that holds it here. */
function withAdvice(error: unknown): unknown {
  const text = error instanceof Error ? error.message : "";
  if (!/\b(?:NOAUTH|WRONGPASS|NOPERM)\b/.test(text)) return error;
  return new Error(`${text}: set ASSAY_REDIS_PASSWORD, and ASSAY_REDIS_USERNAME where the broker has users`, { cause: error });
}

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

/** The answer of the broker, or an error when that takes longer. The operation behind it goes on. */
export async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the broker: no answer within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
