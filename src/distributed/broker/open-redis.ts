import type { Redis } from "ioredis";
import { MissingPackage } from "./missing-package.ts";

/** One connection; opened in the background, and again whenever it breaks. Errors show in what waits for an answer. */
export async function openRedis(url: string): Promise<Redis> {
  const { Redis: Client } = await import("ioredis").catch((error: unknown) => {
    throw new MissingPackage("ioredis", error);
  });
  const redis = new Client(url, {
    // A command waits for the connection: what asks within a bound of time bounds it there.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(1000, 50 * times),
    connectTimeout: 5000,
  });
  // Without a listener every failed attempt to connect is printed.
  redis.on("error", () => {});
  return redis;
}
