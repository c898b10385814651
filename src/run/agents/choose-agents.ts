import type { AgentCard } from "../../distributed/broker/agent-card.ts";
import { openAgentRegister } from "../../distributed/broker/agent-register.ts";
import type { BrokerAddress } from "../../distributed/broker/broker-address.ts";
import { openRedis } from "../../distributed/broker/open-redis.ts";
import { targetDigest } from "../../distributed/broker/target-digest.ts";
import { within } from "../../distributed/broker/within.ts";

/** Agents that a run is sent by. */
export interface ChosenAgents {
  readonly broker: BrokerAddress;
  readonly cards: readonly AgentCard[];
}

export interface ChoiceOptions {
  readonly broker: BrokerAddress;
  readonly count: number;
  readonly baseUrl: string;
  readonly version: string;
}

/** Those that wait at the broker, whatever they serve. Rejects when it does not answer. */
export async function listAgents(broker: BrokerAddress): Promise<readonly AgentCard[]> {
  const redis = await openRedis(broker.url);
  try {
    return await within(5000, "the broker does not answer", openAgentRegister(redis, broker.prefix).list());
  } finally {
    redis.disconnect();
  }
}

/** Why an agent cannot send for a run; null when it can. */
export function unfitness(card: AgentCard, { baseUrl, version }: Pick<ChoiceOptions, "baseUrl" | "version">): string | null {
  if (card.version !== version) return `is assay ${card.version}`;
  if (card.target !== targetDigest(baseUrl)) return "serves another target";
  return card.busy ? "is busy" : null;
}

/** So many agents that are there, idle and of this version, for this target. Throws a RangeError that says which are not. */
export async function chooseAgents(options: ChoiceOptions): Promise<ChosenAgents> {
  const all = await listAgents(options.broker);
  const fit = all.filter((card) => unfitness(card, options) === null);
  if (fit.length >= options.count) return { broker: options.broker, cards: fit.slice(0, options.count) };
  const unfit = all.flatMap((card) => {
    const why = unfitness(card, options);
    return why === null ? [] : [`${card.name} ${why}`];
  });
  const others = unfit.length === 0 ? "" : ` (${unfit.join(", ")})`;
  throw new RangeError(`${fit.length} agents wait for this target, ${options.count} are asked for${others}`);
}
