import type { ManifestFacts } from "../../core/manifest.ts";
import { isDisguisedPhase } from "../../core/exchange/is-disguised-phase.ts";
import type { ClockOffset } from "./clock-offset.ts";
import { limitWhereUnstated } from "./declared-requests.ts";
import type { History } from "./history.ts";
import { isOfExam } from "./is-of-exam.ts";
import type { LimitOp } from "./op.ts";
import { setAside } from "./set-aside.ts";
import { countIntervals, type IntervalCounter } from "./count-intervals.ts";
import type { Tolerances } from "./tolerances.ts";
import { sentWithin } from "./sent-within.ts";

/** All that a check may look at: the requests of one key on one endpoint and what is known about it. */
export interface GroupView {
  readonly id: string;
  readonly key: string;
  readonly endpoint: LimitOp["endpoint"];
  /** By send instant. Those that a cache answered are set aside: they may have been counted, and their answers say nothing. */
  readonly ops: readonly LimitOp[];
  /** Those of `ops` that were answered, by the instant of the answer. */
  readonly answered: readonly LimitOp[];
  readonly admitted: readonly LimitOp[];
  /**
   * Sent under another spelling of the path, or with other claims about the client: they may be counted here, but what they read may
   * be another counter.
   */
  readonly disguised: readonly LimitOp[];
  readonly rejected: readonly LimitOp[];
  /** The requests that may have consumed: all but requests of which a 429 says that they did not, when rejections are free. */
  readonly consumers: IntervalCounter;
  /** As `consumers`, rejections included: some limiters count them (AMB-12). */
  readonly contenders: IntervalCounter;
  /** Most frequent limit header; where no answer has one, what the manifest declares; null when neither says it. */
  readonly limit: number | null;
  /** No answer states a limit or what remains: only admissions, refusals and waits can be judged. */
  readonly unstated: boolean;
  readonly offset: ClockOffset | null;
  readonly tolerances: Tolerances;
  /** Before this instant own requests may be missing from the history. */
  readonly knownFromMs: number;
  /** The instants from which on the service was seen away, rising. */
  readonly cutsMs: readonly number[];
  /** The same of what was sent from the one instant on and before the other: nothing is known of what came before. */
  within(fromMs: number, untilMs: number): GroupView;
  /** Nobody else uses the key, by declaration. */
  readonly exclusive: boolean;
  /** Whether a 429 can be attributed to the request limit of this group: it says so, or every other limit is known to be out of the way. */
  judgesRejection(op: LimitOp): boolean;
  /** Whether a 429 can be neither of this limit, which still shows something left, nor of a burst allowance that the manifest knows. */
  isOtherLimit(op: LimitOp): boolean;
  readonly strict: boolean;
}

/** Burst settings of a key over the run, as far as its own PATCH requests say. */
export interface BurstSetting {
  /** Run clock: from here on it certainly holds. */
  readonly fromMs: number;
  readonly limit: number | null;
}

export interface ViewOptions {
  readonly manifest: ManifestFacts;
  readonly history: Pick<History, "offsetWithin">;
  readonly tolerances: Tolerances;
  readonly strict: boolean;
  readonly burst: ReadonlyMap<string, readonly BurstSetting[]>;
  /** Before this instant requests may be missing; default: the history is complete. */
  readonly knownFromMs?: number;
  /** Default: it was never seen away. */
  readonly cutsMs?: readonly number[];
}

/** They may be counted here, but what they read may be another counter. */
function isDisguised({ policy, phase }: LimitOp): boolean {
  return policy === "requests" && isDisguisedPhase(phase);
}

/** Prepares one group for the checks. */
export function viewGroup(id: string, members: readonly LimitOp[], options: ViewOptions): GroupView {
  const all = members.map((op) => (op.cached ? setAside(op) : op));
  // Another notation of the path of an endpoint may be that endpoint, or none.
  const isOfEndpoint = all.some(({ endpoint }) => endpoint !== null);
  const isAside = (op: LimitOp): boolean => isDisguised(op) || (isOfEndpoint && op.endpoint === null);
  const ops = all.filter((op) => !isAside(op));
  const first = ops[0];
  const stated = mostFrequent(ops.map((op) => op.requests.limit).filter((value) => value !== null));
  const unstated = stated === null && ops.every((op) => op.requests.remaining === null);
  const limit = stated ?? (unstated ? limitWhereUnstated(options.manifest, first?.key ?? "") : null);
  const driven = ops.filter(isOfExam);
  const examined = driven.length > 0 ? driven : ops;
  const settings = options.burst.get(first?.key ?? "") ?? [];
  // Also where `burst` leaves it out: a cooldown that the manifest knows is judged as such, and is no second limit.
  const knowsBurst = settings.length > 0 || options.manifest.restore.keys[first?.key ?? ""]?.burst_limit !== undefined;
  return {
    id,
    key: first?.key ?? "",
    endpoint: first?.endpoint ?? null,
    ops,
    answered: ops.filter((op) => Number.isFinite(op.headersMs)).sort((a, b) => a.headersMs - b.headersMs),
    admitted: ops.filter((op) => op.outcome === "admitted"),
    rejected: ops.filter((op) => op.outcome === "rejected"),
    disguised: all.filter(isAside),
    consumers: countIntervals(all.filter((op) => op.outcome !== "rejected")),
    contenders: countIntervals(all),
    limit,
    unstated,
    offset: options.history.offsetWithin(examined[0]?.sentMs ?? 0, examined.at(-1)?.sentMs ?? 0),
    tolerances: options.tolerances,
    knownFromMs: options.knownFromMs ?? Number.NEGATIVE_INFINITY,
    cutsMs: options.cutsMs ?? [],
    within(fromMs, untilMs) {
      const own = sentWithin(members, fromMs, untilMs);
      return viewGroup(id, own, { ...options, cutsMs: [], knownFromMs: Math.max(fromMs, options.knownFromMs ?? fromMs) });
    },
    exclusive: options.manifest.exclusive,
    strict: options.strict,
    judgesRejection: (op) => isRequestRejection(op, settings, limit, unstated),
    isOtherLimit: (op) =>
      op.outcome === "rejected" &&
      !knowsBurst &&
      isDriven(op) &&
      (op.requests.remaining ?? 0) > 0 &&
      (op.cause === "burst" || op.cause === "unknown") &&
      op.tokens.remaining !== 0,
  };
}

function isDriven(op: LimitOp): boolean {
  return op.policy === "" || op.policy === "requests";
}

/**
 * A 429 that shows no remaining requests names its cause. One that shows some is attributed to the request limit only when the
 * burst allowance is known to be far above it; a cooldown looks the same from outside (AMB-13).
 * A service that never shows anything refuses for its declared limit, unless the manifest knows of a burst allowance as well.
 */
function isRequestRejection(op: LimitOp, settings: readonly BurstSetting[], limit: number | null, unstated: boolean): boolean {
  if (!isDriven(op)) return false;
  if (op.cause === "requests") return true;
  if (op.cause !== "burst" && op.cause !== "unknown") return false;
  if (op.tokens.remaining === 0) return false;
  if (unstated && settings.length === 0) return op.cause === "unknown" && limit !== null;
  const current = settings.findLast((setting) => setting.fromMs <= op.sentMs);
  return current !== undefined && current.limit !== null && limit !== null && current.limit > 4 * limit;
}

function mostFrequent(values: readonly number[]): number | null {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best: number | null = null;
  for (const [value, count] of counts) {
    if (best === null || count > counts.get(best)!) best = value;
  }
  return best;
}
