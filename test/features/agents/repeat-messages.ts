import type { BrokerProcess } from "./broker-process.ts";
import { openRedis } from "../../../src/features/agents/broker/open-redis.ts";
import { createRandom } from "../../../src/core/random.ts";

export interface RepeatedMessages {
  readonly count: number;
  stop(): Promise<void>;
}

/** Repeats every message of agents and coordinator over the broker at once, and again up to a second later, out of order. */
export async function repeatMessages(broker: BrokerProcess, seed: number): Promise<RepeatedMessages> {
  const { url, prefix } = broker.address;
  const random = createRandom(seed);
  const [commands, listener] = await Promise.all([openRedis(url), openRedis(url)]);
  const seen = new Set<string>();
  let count = 0;
  const ended = new AbortController();
  const again = (say: () => Promise<unknown>): void => {
    for (const ms of [0, 1000 * random.next()]) {
      setTimeout(() => {
        if (ended.signal.aborted) return;
        count += 1;
        say().catch(() => undefined);
      }, ms);
    }
  };
  listener.on("pmessage", (_pattern: string, channel: string, text: string) => {
    if (seen.has(text)) return;
    seen.add(text);
    again(() => commands.publish(channel, text));
  });
  await listener.psubscribe(`${prefix}:{*}:ask`, `${prefix}:{*}:answer:*`);
  const repeatStreams = async (): Promise<void> => {
    for (const key of await commands.keys(`${prefix}:{*`)) {
      if (!key.endsWith(":up") && !key.endsWith(":down")) continue;
      for (const [, fields] of await commands.xrange(key, "-", "+")) {
        const text = fields.join(" ");
        if (seen.has(text)) continue;
        seen.add(text);
        again(() => commands.xadd(key, "NOMKSTREAM", "*", ...fields));
      }
    }
  };
  const repeating = (async () => {
    while (!ended.signal.aborted) {
      await repeatStreams().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    get count() {
      return count;
    },
    async stop() {
      ended.abort();
      await repeating;
      commands.disconnect();
      listener.disconnect();
    },
  };
}
