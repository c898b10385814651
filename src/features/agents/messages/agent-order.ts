import type { RedactedManifest } from "../../../core/manifest.ts";
import type { LoadProfile } from "../../../load/profile/load-profile.ts";
import type { TraceEntry } from "../../../load/arrivals/traces/trace-entry.ts";
import type { LoadSample } from "../../../run/workers/load-sampler.ts";

/** The job of one agent: its share of one profile. Holds no secret. */
export interface AgentOrder {
  readonly runId: string;
  /** Number of this agent among `agents`, from 0. */
  readonly agent: number;
  readonly agents: number;
  /** Version of the tool: agents of another one may draw another schedule. */
  readonly version: string;
  /** Digest of the base URL. */
  readonly target: string;
  readonly profile: LoadProfile;
  /** Models, limits, prices and features as the coordinator knows them. */
  readonly manifest: RedactedManifest;
  readonly seed: number;
  readonly trace: readonly TraceEntry[] | null;
  /** Requests per second that this agent may send by itself; null: anything. */
  readonly ownPerSecond: number | null;
  /** Whether there are places of the permitted rate that may be borrowed. */
  readonly borrows: boolean;
  /** Last sequence number that was given out before. */
  readonly lastSeq: number;
  /** Records of its share that it reports; what comes after them it counts. */
  readonly mostRecords: number;
  readonly evidence: LoadSample;
  /** Unix milliseconds at zero of the run clock: wall time of all agents follows from it. */
  readonly wallAtZeroMs: number;
  /** Key of the target for this agent alone; null where it reads its own. */
  readonly sealedKeys: string | null;
}

/** Checks what came from the broker as far as it decides whether this agent may follow it. Null for anything else. */
export function readAgentOrder(value: unknown): AgentOrder | null {
  if (typeof value !== "object" || value === null) return null;
  const order = value as Partial<AgentOrder>;
  const counts = [order.agent, order.agents, order.seed, order.lastSeq, order.mostRecords, order.wallAtZeroMs];
  const texts = [order.runId, order.version, order.target];
  if (!counts.every((count) => typeof count === "number" && Number.isFinite(count))) return null;
  if (!texts.every((text) => typeof text === "string" && text !== "")) return null;
  if (typeof order.profile !== "object" || typeof order.manifest !== "object") return null;
  if (order.ownPerSecond !== null && !((order.ownPerSecond ?? 0) > 0)) return null;
  if (order.sealedKeys !== null && typeof order.sealedKeys !== "string") return null;
  return order as AgentOrder;
}
