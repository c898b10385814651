import type { Manifest } from "../../../core/manifest.ts";
import type { AgentCard } from "../broker/agent-card.ts";
import { openAgentRegister } from "../broker/agent-register.ts";
import type { BrokerAddress } from "../broker/read-broker-address.ts";
import { openRedis } from "../broker/open-redis.ts";
import { firstAnswer, measureRoundTrip } from "../broker/ask-broker.ts";
import { clockBoundMs } from "../../../load/judge/judge-agents.ts";
import { concurrencyOf } from "../../../load/arrivals/arrival-kinds.ts";
import { chooseWorkers } from "../../../load/workers/choose-workers.ts";
import type { LoadProfile } from "../../../load/profile/load-profile.ts";
import type { LoadPlan } from "../../../load/plan/plan-load.ts";
import { unfitness } from "../coordinator/choose-agents.ts";
import { diagnosis, type Diagnosis } from "../../../command/diagnosis.ts";

export interface AgentsToDiagnose {
  readonly broker: BrokerAddress;
  readonly manifest: Manifest;
  readonly version: string;
  /** The load that they are to send; null: not known. */
  readonly planned: { readonly profile: LoadProfile; readonly plan: LoadPlan } | null;
}

const leastVersion = 7;
/** More processors than any machine has: asks what a plan needs, whatever is there. */
const anyProcessors = 1_000_000;

/** Whether the broker and the agents that wait there can send a plan. Sends nothing to the target. */
export async function diagnoseAgents({ broker, manifest, version, planned }: AgentsToDiagnose): Promise<readonly Diagnosis[]> {
  const redis = await openRedis(broker.url);
  try {
    const info = await firstAnswer(redis, redis.info("server"));
    const roundTripMs = await measureRoundTrip(redis);
    const cards = await openAgentRegister(redis, broker.prefix).list();
    const wanted = { baseUrl: manifest.target.baseUrl, version };
    const fit = cards.filter((card) => unfitness(card, wanted) === null);
    return [
      judgeBroker(info, roundTripMs),
      judgeFitness(cards, fit, wanted),
      ...(fit.length === 0 ? [] : [judgeClocks(fit, roundTripMs)]),
      ...(fit.length === 0 || planned === null ? [] : [judgeCeilings(fit, planned)]),
    ];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [diagnosis("broker", "failed", why, "check --redis, ASSAY_REDIS_PASSWORD and the network")];
  } finally {
    redis.disconnect();
  }
}

function judgeBroker(info: string, roundTripMs: number): Diagnosis {
  const found = /(?:valkey|redis)_version:(\d+)[\d.]*/.exec(info);
  const shown = found?.[0].replace("_version:", " ") ?? "of unknown version";
  const message = `${shown}, ${roundTripMs.toFixed(1)} ms away`;
  return Number(found?.[1] ?? 0) < leastVersion
    ? diagnosis("broker", "failed", message, `Redis or Valkey ${leastVersion} or newer is needed`)
    : diagnosis("broker", "ok", message);
}

function judgeFitness(
  cards: readonly AgentCard[],
  fit: readonly AgentCard[],
  wanted: { readonly baseUrl: string; readonly version: string },
): Diagnosis {
  const unfit = cards.flatMap((card) => {
    const why = unfitness(card, wanted);
    return why === null ? [] : [`${card.name} ${why}`];
  });
  if (fit.length === 0) {
    const others = unfit.length === 0 ? "none waits at the broker" : unfit.join(", ");
    return diagnosis("agents", "failed", others, "start agents of this version with: assay agent --redis <url> --base-url <url>");
  }
  const ready = `${fit.length} ready: ${fit.map(({ name }) => name).join(", ")}`;
  return unfit.length === 0
    ? diagnosis("agents", "ok", ready)
    : diagnosis("agents", "warning", `${ready}; not ready: ${unfit.join(", ")}`, "only those that are ready are chosen");
}

/** A question over the broker takes both ways; the answer lies somewhere in between. */
function judgeClocks(fit: readonly AgentCard[], roundTripMs: number): Diagnosis {
  const widest = Math.max(...fit.map((card) => card.roundTripMs + roundTripMs)) / 2;
  const message = `clocks can be known within ${widest.toFixed(1)} ms at best`;
  return widest > clockBoundMs
    ? diagnosis("agent-clocks", "failed", message, `${clockBoundMs} ms are allowed: put the broker nearer to the agents`)
    : diagnosis("agent-clocks", "ok", message);
}

function judgeCeilings(fit: readonly AgentCard[], { profile, plan }: NonNullable<AgentsToDiagnose["planned"]>): Diagnosis {
  const least = {
    requestsPerSecond: Math.min(...fit.map(({ calibration }) => calibration.ceiling.requestsPerSecond)),
    eventsPerSecond: Math.min(...fit.map(({ calibration }) => calibration.ceiling.eventsPerSecond)),
    streams: 0,
  };
  if (concurrencyOf(profile.arrivals) !== null) {
    return diagnosis("agent-ceilings", "skipped", "a closed loop has no rate of its own: it sends what the slowest part allows");
  }
  const needed = chooseWorkers({ ...profile, workers: "auto" }, plan, least, anyProcessors);
  const message = `${profile.id} needs ${needed} of them by the slowest (${least.requestsPerSecond} requests/s, ${least.eventsPerSecond} events/s); ${fit.length} are ready`;
  return needed > fit.length
    ? diagnosis("agent-ceilings", "failed", message, "start more agents, or faster ones")
    : diagnosis("agent-ceilings", "ok", message);
}
