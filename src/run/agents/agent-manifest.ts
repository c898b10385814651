import type { Manifest } from "../../core/manifest.ts";
import type { AgentOrder } from "./agent-order.ts";

/**
 * The manifest that a share is sent by: what is measured comes from the coordinator; where it is sent, with which keys and what is
 * permitted comes from this agent alone. Whoever can write to the broker cannot turn its keys to another address.
 */
export function manifestOfShare(own: Manifest, { manifest }: AgentOrder): Manifest {
  const rates = [own.permissions.loadUpToRps, manifest.permissions.loadUpToRps].filter((rate) => rate !== null);
  return {
    ...manifest,
    target: { ...manifest.target, baseUrl: own.target.baseUrl, headers: own.target.headers, tls: own.target.tls },
    keys: own.keys,
    control: null,
    permissions: { ...own.permissions, loadUpToRps: rates.length === 0 ? null : Math.min(...rates) },
    // The bounds of the run are kept by what is drawn; those of this agent hold beside them.
    budget: own.budget,
  };
}
