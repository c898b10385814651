import type { Redis } from "ioredis";
import type { AgentCard } from "./agent-card.ts";

/** Agents that can be reached are shown for so long after they were last heard of. */
const cardMs = 4000;

export interface AgentRegister {
  show(card: AgentCard): Promise<void>;
  hide(id: string): Promise<void>;
  /** Those that are there now, by name. */
  list(): Promise<readonly AgentCard[]>;
}

export function openAgentRegister(redis: Redis, prefix: string): AgentRegister {
  const all = `${prefix}:agents`;
  const key = (id: string): string => `${prefix}:agent:${id}`;
  return {
    async show(card) {
      await redis.set(key(card.id), JSON.stringify(card), "PX", cardMs);
      await redis.sadd(all, card.id);
    },
    async hide(id) {
      await redis.srem(all, id);
      await redis.del(key(id));
    },
    async list() {
      const ids = await redis.smembers(all);
      const cards: AgentCard[] = [];
      for (const id of ids) {
        const text = await redis.get(key(id));
        const card = text === null ? null : readCard(text);
        if (card === null) await redis.srem(all, id);
        else cards.push(card);
      }
      return cards.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    },
  };
}

function readCard(text: string): AgentCard | null {
  try {
    const card = JSON.parse(text) as Partial<AgentCard>;
    const { id, name, version, node, cores, target, publicKey, busy, calibration, roundTripMs, descriptors = null } = card;
    if (typeof id !== "string" || !/^[\w-]{1,64}$/.test(id) || typeof name !== "string" || typeof target !== "string")
      return null;
    if (typeof version !== "string" || typeof node !== "string" || typeof cores !== "number" || typeof busy !== "boolean")
      return null;
    if (typeof roundTripMs !== "number" || typeof publicKey !== "string" || !/^[\w-]{43}$/.test(publicKey)) return null;
    const { ceiling } = calibration ?? {};
    if (calibration === undefined || typeof ceiling?.requestsPerSecond !== "number") return null;
    return { id, name, version, node, cores, target, publicKey, busy, calibration, roundTripMs, descriptors };
  } catch {
    return null;
  }
}
