import type { Redis } from "ioredis";
import type { Amounts, Escrowed } from "../budget/escrow-counters.ts";
import type { ClockExchange } from "../clock/clock-interval.ts";
import { leaseMs } from "../lease/lease.ts";
import type { Chunk } from "../messages/chunk.ts";
import type { BrokerAddress } from "./read-broker-address.ts";
import { followStream } from "./follow-stream.ts";
import { openRedis } from "./open-redis.ts";
import { runKeys } from "./run-keys.ts";
import { borrowScript, claimScript, drawScript, giveBackScript, renewScript, returnScript } from "./scripts.ts";

export interface AgentLinkOptions {
  readonly broker: BrokerAddress;
  readonly runId: string;
  readonly agent: number;
  /** Fencing token: of this start of this agent alone. */
  readonly token: string;
  readonly nowMs: () => number;
  /** A message for all agents. */
  readonly onDown: (json: string) => void;
  readonly onClock: (exchange: ClockExchange, acknowledged: number) => void;
}

/** The calls of an agent to the broker. Every call waits until the broker answers. */
export interface AgentLink {
  /** Milliseconds granted; not above 0 when the share is not, or no longer, this agent's. */
  claim(): Promise<number>;
  renew(): Promise<number>;
  /** Null when the budget of all holds no more of it. */
  draw(least: Readonly<Record<Escrowed, number>>, wanted: Readonly<Record<Escrowed, number>>): Promise<Amounts | null>;
  giveUnspentBack(unspent: Readonly<Record<Escrowed, number>>): Promise<void>;
  /** A place of the permitted rate that nobody uses; null where there is none. */
  borrowPlace(): Promise<string | null>;
  giveBackPlace(place: string): Promise<void>;
  post(chunk: Chunk): void;
  sendAll(json: string): void;
  askClock(): void;
  close(): void;
}

export async function openAgentLink(options: AgentLinkOptions): Promise<AgentLink> {
  const { broker, agent, token, nowMs } = options;
  const keys = runKeys(broker.prefix, options.runId);
  const [commands, listener, follower] = await Promise.all([openRedis(broker.url), openRedis(broker.url), openRedis(broker.url)]);
  const closing = new AbortController();
  listener.on("message", (_channel: string, text: string) => {
    const heardMs = nowMs();
    const answer = readAnswer(text);
    if (answer !== null) options.onClock({ ...answer, heardMs }, answer.acknowledged);
  });
  await listener.subscribe(keys.answer(agent));
  void followStream(follower, keys.down, ({ d = "" }) => options.onDown(d), { signal: closing.signal });
  const evaluate = (redis: Redis, script: string, names: readonly string[], values: readonly (string | number)[]) =>
    redis.eval(script, names.length, ...names, ...values);
  const lease = keys.lease(agent);
  return {
    claim: async () =>
      Number(await evaluate(commands, claimScript, [keys.run, lease, keys.coordinator], [agent, token, leaseMs])),
    renew: async () =>
      Number(await evaluate(commands, renewScript, [keys.run, lease, keys.coordinator], [agent, token, leaseMs])),
    async draw(least, wanted) {
      const asked = (["requests", "tokens", "nanoUsd"] as const).flatMap((what) => [least[what], wanted[what]]);
      const granted = await evaluate(commands, drawScript, [keys.run, lease], [agent, token, ...asked]);
      if (!Array.isArray(granted)) return null;
      const [requests, tokens, nanoUsd] = granted.map((one) => (one === "" ? null : Number(one)));
      return { requests: requests ?? null, tokens: tokens ?? null, nanoUsd: nanoUsd ?? null };
    },
    async giveUnspentBack({ requests, tokens, nanoUsd }) {
      await evaluate(commands, returnScript, [keys.run, lease], [agent, token, requests, tokens, nanoUsd]);
    },
    async borrowPlace() {
      const place = await evaluate(commands, borrowScript, [keys.run, lease, keys.spare, keys.held], [agent, token]);
      return typeof place === "string" ? place : null;
    },
    async giveBackPlace(place) {
      await evaluate(commands, giveBackScript, [keys.run, lease, keys.spare, keys.held], [agent, token, place]);
    },
    post({ number, previous, payload }) {
      quietly(commands.xadd(keys.up, "NOMKSTREAM", "*", "a", agent, "t", token, "n", number, "p", previous, "d", payload));
    },
    sendAll: (json) => quietly(commands.xadd(keys.down, "NOMKSTREAM", "*", "d", json)),
    askClock: () => quietly(commands.publish(keys.ask, `${agent} ${nowMs()}`)),
    close() {
      closing.abort();
      for (const redis of [commands, listener, follower]) redis.disconnect();
    },
  };
}

/** A message that did not arrive is sent again, or missed by the coordinator. */
function quietly(promise: Promise<unknown>): void {
  promise.catch(() => {});
}

interface ClockAnswer extends Omit<ClockExchange, "heardMs"> {
  readonly acknowledged: number;
}

function readAnswer(text: string): ClockAnswer | null {
  const numbers = text.split(" ").map(Number);
  const [askedMs, takenMs, answeredMs, acknowledged] = numbers;
  if (askedMs === undefined || takenMs === undefined || answeredMs === undefined || acknowledged === undefined) return null;
  return numbers.every(Number.isFinite) ? { askedMs, takenMs, answeredMs, acknowledged } : null;
}
