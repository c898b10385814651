import type { Redis } from "ioredis";

/** A package that only distributed load needs is not installed. */
export class MissingPackage extends Error {
  override name = "MissingPackage";

  constructor(name: string, cause: unknown) {
    super(`agents need the package ${name}, which is not installed: npm install ioredis@6 bullmq@6`, { cause });
  }
}

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
