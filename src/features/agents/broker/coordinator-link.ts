import { type Amounts, escrowed } from "../budget/escrow-counters.ts";
import { leaseMs } from "../lease/lease.ts";
import type { Chunk } from "../messages/chunk.ts";
import type { BrokerAddress } from "./read-broker-address.ts";
import { followStream } from "./follow-stream.ts";
import { openRedis } from "./open-redis.ts";
import { runKeys } from "./run-keys.ts";
import { beatScript, drawnScript, openScript } from "./scripts.ts";
import { within } from "./ask-broker.ts";

export interface CoordinatorLinkOptions {
  readonly broker: BrokerAddress;
  readonly runId: string;
  readonly agents: number;
  readonly nowMs: () => number;
  readonly onUp: (agent: number, token: string, chunk: Chunk) => void;
  /** Number up to which the chunks of an agent have been taken. */
  readonly acknowledged: (agent: number) => number;
}

/** The side of the coordinator. */
export interface CoordinatorLink {
  /** Milliseconds that the lease of each agent has left, not above 0 when it has none; null when the broker is another one now. */
  beat(): Promise<readonly number[] | null>;
  sendAll(json: string): Promise<void>;
  /** No grant is given to the agent any more. */
  revoke(agent: number): Promise<void>;
  /** The amounts that an agent was granted and has not given back; null when the broker is another one now. */
  drawn(agent: number): Promise<Amounts | null>;
  /** Forgets the run; whatever an agent asks then is refused. */
  close(): Promise<void>;
}

/** The life of the data that a killed run leaves at the broker. */
const lifeMs = 3_600_000;

/** Opens a run: the bounds of its budget (null: none) and the places of its permitted rate that may be borrowed. */
export async function openCoordinatorLink(
  options: CoordinatorLinkOptions,
  run: { readonly bounds: Amounts; readonly sparePlaces: number },
): Promise<CoordinatorLink> {
  const { broker, agents, nowMs } = options;
  const keys = runKeys(broker.prefix, options.runId);
  const leases = Array.from({ length: agents }, (_, agent) => keys.lease(agent));
  const [commands, listener, follower] = await Promise.all([openRedis(broker.url), openRedis(broker.url), openRedis(broker.url)]);
  const closing = new AbortController();
  const close = (): void => {
    closing.abort();
    for (const redis of [commands, listener, follower]) redis.disconnect();
  };
  try {
    const bounds = escrowed.flatMap((what) => (run.bounds[what] === null ? [] : [`bound:${what}`, run.bounds[what].toFixed(0)]));
    const fields = ["state", "open", ...bounds];
    const opening = commands.eval(openScript, 4, keys.run, keys.coordinator, keys.up, keys.down, leaseMs, lifeMs, ...fields);
    const opened = await within(5000, opening);
    if (Number(opened) !== 1) throw new Error("the broker holds a run of this name already");
    if (run.sparePlaces > 0) {
      await commands.sadd(keys.spare, ...Array.from({ length: run.sparePlaces }, (_, place) => `p${place}`));
      await commands.pexpire(keys.spare, lifeMs);
    }
    listener.on("message", (_channel: string, text: string) => {
      const takenMs = nowMs();
      const [agent = Number.NaN, askedMs = Number.NaN] = text.split(" ").map(Number);
      if (!Number.isInteger(agent) || agent < 0 || agent >= agents || !Number.isFinite(askedMs)) return;
      const answer = `${askedMs} ${takenMs} ${nowMs()} ${options.acknowledged(agent)}`;
      commands.publish(keys.answer(agent), answer).catch(() => {});
    });
    await within(5000, listener.subscribe(keys.ask));
  } catch (error) {
    close();
    throw error;
  }
  const take = ({ a = "", t = "", n = "", p = "", d = "" }: Readonly<Record<string, string>>): void => {
    const [agent, number] = [Number(a), Number(n)];
    if (!Number.isInteger(agent) || agent < 0 || agent >= agents || !Number.isSafeInteger(number)) return;
    options.onUp(agent, t, { number, previous: p, payload: d });
  };
  // A message that was taken need not wait at the broker any longer.
  const done = (id: string): void => void commands.xtrim(keys.up, "MINID", id).catch(() => {});
  void followStream(follower, keys.up, take, { signal: closing.signal, done });
  return {
    async beat() {
      const { run: ofRun, coordinator, up, down, spare, held } = keys;
      const names = [ofRun, coordinator, up, down, spare, held, ...leases];
      const left = await commands.eval(beatScript, names.length, ...names, leaseMs, lifeMs);
      return Array.isArray(left) ? left.map(Number) : null;
    },
    async sendAll(json) {
      await commands.xadd(keys.down, "*", "d", json);
    },
    async revoke(agent) {
      await commands.hset(keys.run, `revoked:${agent}`, 1);
    },
    async drawn(agent) {
      const drawn = await commands.eval(drawnScript, 1, keys.run, agent);
      if (!Array.isArray(drawn)) return null;
      const [requests = 0, tokens = 0, nanoUsd = 0] = drawn.map(Number);
      return { requests, tokens, nanoUsd };
    },
    async close() {
      try {
        // Without the key of the coordinator nobody renews anything.
        await within(2000, commands.del(keys.coordinator, keys.run, keys.up, keys.down, keys.spare, keys.held, ...leases));
      } catch {
        // It forgets by itself.
      } finally {
        close();
      }
    },
  };
}
