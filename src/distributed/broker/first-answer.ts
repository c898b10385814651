import type { Redis } from "ioredis";
import { within } from "./within.ts";

const waitMs = 5000;

/** What a connection that was just opened is asked; a broker may be starting still. The error says why it was not reached. */
export async function firstAnswer<Value>(redis: Redis, asked: Promise<Value>): Promise<Value> {
  let last: Error | null = null;
  const keep = (error: Error): void => {
    last = error;
  };
  redis.on("error", keep);
  try {
    return await within(waitMs, "the broker", asked);
  } catch (error) {
    throw last ?? error;
  } finally {
    redis.off("error", keep);
  }
}
