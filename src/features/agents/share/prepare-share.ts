import type { JudgeContext } from "../../../conformance/judging/judge.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { targetDigest } from "../broker/target-digest.ts";
import { type LoadPlan, planLoad } from "../../../load/plan/plan-load.ts";
import { type Blocker, describeBlockers } from "../../../load/profile/blocker.ts";
import { permittedRps, profileBlockers } from "../../../load/plan/profile-blockers.ts";
import { openJudgeContext } from "../../../run/judge-context.ts";
import type { AgentOrder } from "../messages/agent-order.ts";

/** The parts by which a share is sent and judged. */
export interface PreparedShare {
  readonly manifest: Manifest;
  readonly plan: LoadPlan;
  readonly context: JudgeContext;
}

/** All of it, or why this agent does not send what it was asked to. */
export function prepareShare(agent: Agent): PreparedShare | string {
  try {
    return prepare(agent);
  } catch (error) {
    return `the order cannot be planned: ${error instanceof Error ? error.message : String(error)}`;
  }
}

interface Agent {
  readonly order: AgentOrder;
  readonly manifest: Manifest;
  readonly version: string;
}

/** The budget and the probe are the business of the coordinator. */
const ofCoordinator: ReadonlySet<Blocker["code"]> = new Set(["requests", "no-probe-key", "same-probe-key"] as const);

function prepare(agent: Agent): PreparedShare | string {
  const { order, manifest: own } = agent;
  if (order.version !== agent.version) return `it is assay ${agent.version}, the coordinator is ${order.version}`;
  if (order.target !== targetDigest(own.target.baseUrl)) return "it serves another target";
  const manifest = manifestOfShare(own, order);
  const { profile, seed, trace } = order;
  const plan = planLoad({ profile, manifest, seed, trace });
  const permitted = permittedRps(manifest);
  if (permitted !== null && (order.ownPerSecond === null || order.ownPerSecond * order.agents > permitted)) {
    return `its own permissions.loadUpToRps allow ${permitted} requests per second`;
  }
  // A share is a part of the plan: what of it the budget holds is known while it runs.
  const blockers = profileBlockers(profile, manifest, plan).filter(({ code }) => !ofCoordinator.has(code));
  if (blockers.length > 0) return describeBlockers(blockers).join("; ");
  return { manifest, plan, context: openJudgeContext(manifest) };
}

/**
 * The manifest that a share is sent by: what is measured comes from the coordinator; where it is sent, with which keys and what
 * is permitted comes from this agent alone. A writer to the broker cannot turn its keys to another address.
 */
function manifestOfShare(own: Manifest, { manifest }: AgentOrder): Manifest {
  const rates = [own.permissions.loadUpToRps, manifest.permissions.loadUpToRps].filter((rate) => rate !== null);
  return {
    ...manifest,
    target: {
      ...manifest.target,
      baseUrl: own.target.baseUrl,
      headers: own.target.headers,
      tls: own.target.tls,
      proxy: own.target.proxy ?? null,
    },
    keys: own.keys,
    control: null,
    permissions: { ...own.permissions, loadUpToRps: rates.length === 0 ? null : Math.min(...rates) },
    // The bounds of the run are kept by what is drawn; those of this agent hold beside them.
    budget: own.budget,
  };
}
