import type * as Bull from "bullmq";
import type { BrokerAddress } from "./read-broker-address.ts";
import { MissingPackage } from "./open-redis.ts";
import { within } from "./ask-broker.ts";

/** The queue of one agent. A job of it is tried once; one whose worker stalled fails, and is never started again. */
export interface ShareQueue {
  add(order: unknown): Promise<void>;
  close(): Promise<void>;
}

export interface ShareWorker {
  close(): Promise<void>;
}

const jobName = "share";

export async function openShareQueue(broker: BrokerAddress, agent: string): Promise<ShareQueue> {
  const queue = openQueue(await loadBull(), broker, agent);
  return {
    async add(order) {
      await queue.add(jobName, order, { attempts: 1, removeOnComplete: true, removeOnFail: true });
    },
    async close() {
      // A job that nobody has begun must not begin when the run is over.
      await queue.drain().catch(() => {});
      await queue.close().catch(() => {});
    },
  };
}

/** Runs one job at a time, in a process that does nothing else: a loop that blocks would let the job stall. */
export async function openShareWorker(
  broker: BrokerAddress,
  agent: string,
  run: (order: unknown) => Promise<void>,
): Promise<ShareWorker> {
  const bull = await loadBull();
  const worker = new bull.Worker(agent, (job) => run(job.data as unknown), {
    connection: connectionTo(broker),
    prefix: `${broker.prefix}:bull`,
    concurrency: 1,
    lockDuration: 60_000,
    // Stalled once is failed: a second start would send the share twice.
    maxStalledCount: 0,
  });
  worker.on("error", () => {});
  return {
    async close() {
      await worker.close(true);
      // The queue is of this start of the agent alone: nobody will ask for it again.
      const queue = openQueue(bull, broker, agent);
      await within(2000, queue.obliterate({ force: true })).catch(() => undefined);
      await within(2000, queue.close()).catch(() => undefined);
    },
  };
}

function openQueue({ Queue }: typeof Bull, broker: BrokerAddress, agent: string): Bull.Queue {
  const queue = new Queue(agent, { connection: connectionTo(broker), prefix: `${broker.prefix}:bull` });
  queue.on("error", () => {});
  return queue;
}

async function loadBull(): Promise<typeof Bull> {
  return import("bullmq").catch((error: unknown) => {
    throw new MissingPackage("bullmq", error);
  });
}

function connectionTo({ url }: BrokerAddress): { readonly url: string; readonly maxRetriesPerRequest: null } {
  return { url, maxRetriesPerRequest: null };
}
