import type { KeyObject } from "node:crypto";
import type { Manifest, ManifestKey } from "../../../core/manifest.ts";
import type { AgentCard } from "../broker/agent-card.ts";
import { openSealed, seal } from "./seal.ts";
import type { AgentOrder } from "../messages/agent-order.ts";

type Purpose = Pick<AgentOrder, "runId" | "agent" | "target">;

/** A box opens for one agent, run and target only. */
const purposeOf = ({ runId, agent, target }: Purpose): string => `${runId}\n${agent}\n${target}`;

/** The one key that a profile sends with, for the eyes of one agent. */
export function sealKey(
  manifest: Manifest,
  name: string,
  { publicKey }: Pick<AgentCard, "publicKey">,
  order: Purpose,
): string | null {
  const key = manifest.keys[name];
  return key === undefined ? null : seal(JSON.stringify({ [name]: key }), publicKey, purposeOf(order));
}

/** The manifest of an agent with what was sealed for it; its own keys come first. Throws when the box is not for it. */
export function unsealKeys(manifest: Manifest, order: AgentOrder, own: KeyObject): Manifest {
  if (order.sealedKeys === null) return manifest;
  let sent: string;
  try {
    sent = openSealed(order.sealedKeys, own, purposeOf(order));
  } catch (error) {
    throw new Error("the key of the target was sealed for another agent or run", { cause: error });
  }
  return { ...manifest, keys: { ...(JSON.parse(sent) as Readonly<Record<string, ManifestKey>>), ...manifest.keys } };
}
