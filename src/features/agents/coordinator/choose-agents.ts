import type { AgentCard } from "../broker/agent-card.ts";
import { openAgentRegister } from "../broker/agent-register.ts";
import type { BrokerAddress } from "../broker/read-broker-address.ts";
import { firstAnswer } from "../broker/ask-broker.ts";
import { openRedis } from "../broker/open-redis.ts";
import { targetDigest } from "../broker/target-digest.ts";
import { fingerprint } from "../sealing/fingerprint.ts";

/** Agents that a run is sent by. */
export interface ChosenAgents {
  readonly broker: BrokerAddress;
  readonly cards: readonly AgentCard[];
  /** Whether the key of the target is sealed for each of them. */
  readonly sealed?: boolean;
}

export interface ChoiceOptions {
  readonly broker: BrokerAddress;
  readonly count: number;
  readonly baseUrl: string;
  readonly version: string;
  /** Fingerprints of the agents that may be given the key of the target; absent: it is given to none. */
  readonly sealFor?: readonly string[];
}

/** Those that wait at the broker, whatever they serve. Rejects when it does not answer. */
export async function listAgents(broker: BrokerAddress): Promise<readonly AgentCard[]> {
  const redis = await openRedis(broker.url);
  try {
    return await firstAnswer(redis, openAgentRegister(redis, broker.prefix).list());
  } finally {
    redis.disconnect();
  }
}

/** Why an agent cannot send for a run; null when it can. */
export function unfitness(
  card: AgentCard,
  { baseUrl, version, sealFor }: Omit<ChoiceOptions, "broker" | "count">,
): string | null {
  if (card.version !== version) return `is assay ${card.version}`;
  if (card.target !== targetDigest(baseUrl)) return "serves another target";
  // Anybody who can write to the broker can show a card there: the fingerprint names its holder.
  if (sealFor !== undefined && !sealFor.includes(fingerprint(card.publicKey))) return "has a key that is not named";
  return card.busy ? "is busy" : null;
}

/** So many agents that are there, idle and of this version, for this target. Throws a RangeError that says which are not. */
export async function chooseAgents(options: ChoiceOptions): Promise<ChosenAgents> {
  const all = await listAgents(options.broker);
  const fit = all.filter((card) => unfitness(card, options) === null);
  if (fit.length >= options.count) {
    return { broker: options.broker, cards: fit.slice(0, options.count), sealed: options.sealFor !== undefined };
  }
  const unfit = all.flatMap((card) => {
    const why = unfitness(card, options);
    return why === null ? [] : [`${card.name} ${why}`];
  });
  const others = unfit.length === 0 ? "" : ` (${unfit.join(", ")})`;
  throw new RangeError(`${fit.length} agents wait for this target, ${options.count} are asked for${others}`);
}
