import type { Manifest } from "../../../src/core/manifest.ts";
import { readBrokerAddress } from "../../../src/features/agents/broker/read-broker-address.ts";
import { runWithAgents } from "./run-with-agents.ts";

/** The report of a run in a process of its own. */
export interface SecureRunSeen {
  readonly sent: number;
  readonly lost: readonly (string | null)[];
}

async function send(start: { readonly url: string; readonly manifest: Manifest }): Promise<void> {
  const broker = readBrokerAddress(start.url, process.env, "test");
  const { result } = await runWithAgents({ broker, manifest: start.manifest, profile: {}, agents: [{}, {}] });
  const lost = result.health.agents?.map((agent) => agent.lost) ?? [];
  process.send?.({ sent: result.counts.sent, lost } satisfies SecureRunSeen);
  process.disconnect();
}

process.once("message", (start: Parameters<typeof send>[0]) => void send(start));
