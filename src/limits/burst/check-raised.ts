import type { LimitOp } from "../history/op.ts";
import { ratePerMs } from "../history/tolerances.ts";
import { accused, checkHead, inconclusive, notApplicable, passed, type Check } from "../verdict/check.ts";
import type { BurstView } from "./burst-view.ts";
import { heldMs, leastHeldMs } from "./held-ms.ts";
import { isOfCooldown } from "./is-of-cooldown.ts";

/** Requests that were served at once, one after the other, and the one that was not, if one was. */
interface Run {
  readonly served: readonly LimitOp[];
  readonly stopped: LimitOp | null;
}

/**
 * Whether a raised allowance is granted: more is served than two minutes of the old one hold. A request that is refused or held before the
 * new one can be used up accuses only when a minute has passed since the change was confirmed and since the refusal before, and others
 * were served since: no cooldown runs, and whatever begins with a minute began with the new allowance. None where it was not raised.
 */
export function checkRaised(view: BurstView): readonly Check[] {
  const own = checkHead("burst.raise-ignored");
  const raise = view.changes.find(
    ({ sentMs, answeredMs, settings }) =>
      sentMs > view.change.answeredMs && Number.isFinite(answeredMs) && (settings["burst_limit"] ?? 0) > view.burst,
  );
  const ops = raise === undefined ? [] : view.ops.filter((op) => isOfRaise(op) && op.sentMs >= raise.answeredMs);
  if (raise === undefined || ops.length === 0) return [];
  const raised = raise.settings["burst_limit"]!;
  const runs = runsOf(ops, view);
  const granted = runs.find(({ served }) => served.length > mostOf(view.burst, served, view));
  const words = `burst_limit was raised from ${view.burst} to ${raised} (#${raise.seq})`;
  if (granted !== undefined)
    return [passed(own, ops.length, `${words}, and then ${granted.served.length} requests were served at once`)];
  const { windowMs, granularityMs } = view.tolerances;
  for (const [index, { served, stopped }] of runs.entries()) {
    const [first] = served;
    if (stopped === null || first === undefined || isOfCooldown(stopped, view.cooldownMs) !== true) continue;
    const since = Math.max(raise.answeredMs + view.propagationMs, runs[index - 1]?.stopped?.headersMs ?? 0);
    const sinceMs = stopped.sentMs - windowMs - Math.max(view.cooldownMs, windowMs) - granularityMs;
    const reachMs = stopped.outcome === "rejected" ? stopped.headersMs : stopped.sentMs + 3000;
    const others = view.ops.filter(
      (op) => op !== stopped && op.outcome !== "rejected" && op.headersMs >= sinceMs && op.sentMs <= reachMs,
    ).length;
    const isLate = first.sentMs > since + windowMs + granularityMs;
    const isOfRequests = served.at(-1)!.requests.remaining === 0;
    if (!isLate || isOfRequests || others >= raised || !view.exclusive) continue;
    if (stopped.outcome !== "rejected" && view.isStall(stopped)) continue;
    const wait =
      stopped.outcome === "rejected" ? "refused with 429" : `held back for ${(leastHeldMs(stopped) / 1000).toFixed(1)} s`;
    return [
      accused(own, ops.length, "fail", {
        message: `${words}, confirmed ${((first.sentMs - raise.answeredMs) / 1000).toFixed(0)} s before ${served.length} requests were served (#${first.seq} to #${served.at(-1)!.seq}); the next one, #${stopped.seq}, was ${wait}. At most ${others} other requests of the key can have been counted in the ${((stopped.sentMs - sinceMs) / 1000).toFixed(0)} s before it, and no cooldown ran. A correct service serves it at once`,
        rule: "After a burst limit is raised, as many requests a minute are served as it then allows.",
        spec: "Endpoints > PATCH /v1/keys/{key_id}",
        ops: [stopped, ...served],
        parameters: { burst: raised, others, cooldownMs: view.cooldownMs, sinceMs, reachMs },
        lawfulAlternative: `#${stopped.seq} is served at once`,
        expected: "served",
        observed: stopped.outcome === "rejected" ? "429" : `answered after ${(leastHeldMs(stopped) / 1000).toFixed(1)} s`,
      }),
    ];
  }
  const foreign = runs.find((run) => isStoppedByOther(run, view.cooldownMs))?.stopped;
  if (foreign != null)
    return [
      notApplicable(own, ops.length, `${words}: something else refused #${foreign.seq} first (answered ${foreign.status})`),
    ];
  return [inconclusive(own, ops.length, `${words}: no more than two minutes of the old allowance hold was served at once`)];
}

/** Refused for something else than the burst limit. */
function isStoppedByOther({ served, stopped }: Run, cooldownMs: number): boolean {
  if (stopped === null || stopped.outcome === "maybe" || stopped.outcome === "admitted") return false;
  return served.at(-1)?.requests.remaining === 0 || isOfCooldown(stopped, cooldownMs) === false;
}

function isOfRaise({ phase }: LimitOp): boolean {
  return phase === "window-used" || phase === "window-read";
}

function runsOf(ops: readonly LimitOp[], view: BurstView): readonly Run[] {
  const runs: Run[] = [];
  let served: LimitOp[] = [];
  for (const op of ops) {
    if (op.outcome === "admitted" && heldMs(op) <= view.cooldownMs / 4) {
      served.push(op);
      continue;
    }
    runs.push({ served, stopped: op });
    served = [];
  }
  return [...runs, { served, stopped: null }];
}

/** The most that an allowance lets through for these requests: by minutes of the clock, or as a bucket. */
function mostOf(burst: number, served: readonly LimitOp[], { tolerances }: BurstView): number {
  const [first] = served;
  if (first === undefined) return 0;
  const spanMs = served.at(-1)!.headersMs - first.sentMs;
  const minutes = Math.ceil(spanMs / tolerances.windowMs) + 1;
  return Math.max(burst * minutes, burst + ratePerMs(burst, tolerances) * spanMs + 1);
}
