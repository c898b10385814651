import type { Manifest } from "../../../core/manifest.ts";
import { MissingPackage } from "../broker/open-redis.ts";
import { showBroker } from "../broker/read-broker-address.ts";
import type { RemoteSenders } from "../../../run/workers/remote-senders.ts";
import { createAgentWorkers } from "../coordinator/agent-workers.ts";
import { chooseAgents } from "../coordinator/choose-agents.ts";
import { readToolVersion } from "../../../run/tool-version.ts";
import { readBroker } from "./read-broker.ts";
import type { RunFlags } from "../../../command/run-flags.ts";
import { UsageError } from "../../../command/usage-error.ts";

/** The agents that `--agents` asks for, before anything is sent. */
export async function openAgents(
  flags: Pick<RunFlags, "agents" | "redis" | "redisPrefix" | "sealFor" | "workers">,
  manifest: Manifest | null,
): Promise<RemoteSenders> {
  const { agents, redis, redisPrefix, sealFor, workers } = flags;
  if (agents === undefined || redis === undefined) {
    throw new UsageError("--agents and --redis belong together", "assay load --agents 4 --redis redis://broker:6379");
  }
  if (manifest === null)
    throw new UsageError("agents need a target that they can reach", "give one with --base-url or a manifest");
  if (workers !== undefined)
    throw new UsageError("--workers are threads of this machine, --agents are machines", "give one of them");
  const broker = readBroker({ redis, ...(redisPrefix === undefined ? {} : { redisPrefix }) });
  try {
    const chosen = await chooseAgents({
      broker,
      count: agents,
      baseUrl: manifest.target.baseUrl,
      version: readToolVersion(),
      ...(sealFor === undefined ? {} : { sealFor }),
    });
    return { machines: chosen.cards, createWorkers: (ends) => createAgentWorkers({ ...ends, chosen }) };
  } catch (error) {
    if (error instanceof MissingPackage) throw new UsageError(error.message);
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${showBroker(broker.url)}: ${why}`, "start agents with: assay agent --redis <url> --base-url <url>");
  }
}
