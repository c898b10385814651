import type { Random } from "../../../core/random.ts";
import type { Counter } from "../../engine/limiter/limiter-family.ts";
import { lawfulLimiterRules, type LimiterRules, type RequestCounter } from "../../engine/limiter/limiter-rules.ts";
import type { RateCheck, RateOp } from "../../engine/limiter/rate-op.ts";
import { defectiveFamilies, type DefectiveFamilyId } from "../broken/families/defective-families.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";
import { patchLimiterPolicy } from "./patch-limiter-policy.ts";
import { calmRequests, type RequestsUnderWay } from "./requests-under-way.ts";

/** How long a key stays blocked after the reset where a refusal is cached. */
const negativeCacheMs = 5000;
/** Lead of the limiter's clock over the service's where the two differ. */
const clockSkewMs = 30_000;
/** Share of requests to which the store does not answer. */
const outageShare = 0.05;

/** `changes`: how often the settings of each key were changed. */
export function patchLimiterRules(
  switches: Switchboard,
  random: Random,
  underWay: Pick<RequestsUnderWay, "overlaps" | "count">,
  changes: ReadonlyMap<string, number>,
): LimiterRules {
  const lawful = lawfulLimiterRules;
  const blockedUntilMs = new Map<string, number>();
  /** Requests that are let in, or kept out, without counting. */
  const uncounted = new WeakSet<RateOp>();
  /** The counter as it was when a request was decided, where that is written back later. */
  const read = new WeakMap<RateOp, unknown>();
  let arrivals = 0;
  let takes = 0;

  const instances = firstChange(switches, () => 1, {
    "limits/three-instances": () => 3,
    "limits/third-per-instance": () => 3,
    "limits/two-bucket-instances": () => 2,
  });

  const strikes = (id: string): boolean => switches.on(id) && random.next() < outageShare;

  /** Ways in that the request limit neither counts nor refuses. */
  const isExempt = ({ endpoint, streaming }: RateOp): boolean => {
    if (streaming) return switches.on("limits/streams-exempt");
    return (
      (endpoint === "embeddings" && switches.on("limits/embeddings-exempt")) ||
      (endpoint === "transcriptions" && switches.on("limits/uploads-exempt"))
    );
  };

  const withoutCounting = (check: RateCheck): RateCheck => {
    uncounted.add(check.op);
    return check;
  };

  const decided = (check: RateCheck, { name, policy, counter }: RequestCounter): RateCheck => {
    const { op, atMs } = check;
    // Read, modify, write without a lock: an update made in between is lost.
    if (switches.on("limits/lost-updates") || switches.on("limits/bucket-read-modify-write")) read.set(op, counter.save());
    if (strikes("limits/fail-open") || isExempt(op)) return withoutCounting({ ...check, verdict: { kind: "fits" } });
    if (strikes("limits/fail-closed")) return withoutCounting(keptOut(check, atMs + 1000));
    if (switches.on("limits/overlapping-let-in") && underWay.overlaps(op.fields)) return { ...check, verdict: { kind: "fits" } };
    const isBlocked = atMs < (blockedUntilMs.get(name) ?? -Infinity);
    return isBlocked ? keptOut(check, Math.max(atMs, counter.admitsAtMs(policy.promised, atMs, 1))) : check;
  };

  const block = ({ name, policy, counter }: RequestCounter, nowMs: number): void => {
    if (nowMs < (blockedUntilMs.get(name) ?? -Infinity)) return;
    blockedUntilMs.set(name, counter.admitsAtMs(policy.config, nowMs, 1) + negativeCacheMs);
  };

  return {
    clockMs: (nowMs) => lawful.clockMs(nowMs) + (switches.on("limits/reset-skew") ? clockSkewMs : 0),
    policy: patchLimiterPolicy(switches),
    counter: (family, config, nowMs) =>
      Object.hasOwn(defectiveFamilies, family)
        ? defectiveFamilies[family as DefectiveFamilyId](config, nowMs)
        : lawful.counter(family, config, nowMs),
    counters: (op, arrives) => {
      const instance = arrives ? arrivals % instances() : 0;
      if (arrives) arrivals += 1;
      const key = switches.on("limits/shared-by-keys") ? "*" : op.keyId;
      const endpoint = switches.on("limits/shared-by-endpoints") ? "*" : (op.endpoint ?? "unknown");
      const changed = switches.on("burst/change-empties-windows") ? ` ${changes.get(op.keyId) ?? 0}` : "";
      const subject = `${key} ${endpoint}${changed}${disguiseOf(op, switches)}`;
      const isShared = switches.on("tokens/shared-under-load") && underWay.count() > calmRequests;
      const tokens = isShared ? `tokens of all ${endpoint}` : `tokens ${subject}`;
      return { requests: `requests ${subject}${instance === 0 ? "" : ` ${instance}`}`, tokens };
    },
    enforces: (meter) => !switches.on(meter === "requests" ? "limits/not-enforced" : "tokens/not-enforced"),
    tokensToCheck: (tokens) => (switches.on("tokens/charged-after") ? Math.min(tokens, 1) : tokens),
    tokensToHold: firstChange(switches, lawful.tokensToHold, { "tokens/charged-after": () => 0, "tokens/lost-updates": () => 0 }),
    decided,
    beforeTake: (op, requests: Counter) => {
      if (read.has(op)) requests.load(read.get(op));
    },
    weight: (op) => {
      if (uncounted.has(op)) return 0;
      takes += 1;
      if (switches.on("limits/lost-increments") && takes % 10 === 0) return 0;
      return switches.on("limits/double-count") ? 2 : lawful.weight(op);
    },
    refused: (admitsAtMs, op, requests, nowMs) => {
      if (switches.on("limits/negative-cache") && !uncounted.has(op)) block(requests, nowMs);
      if (!switches.on("limits/rejections-count")) return admitsAtMs;
      requests.counter.punish(requests.policy.config, nowMs);
      const punishedMs = requests.counter.admitsAtMs(requests.policy.config, nowMs, 1);
      return Number.isFinite(punishedMs) ? punishedMs : null;
    },
    countsUnadmitted: () => switches.on("limits/client-errors-count"),
    view: (view, meter, counter, { limit }) =>
      meter === "requests" && switches.on("limits/ignores-previous-window")
        ? { ...view, remaining: limit - (counter.save() as { readonly current: number }).current }
        : view,
    forget: () => {
      blockedUntilMs.clear();
      arrivals = 0;
      takes = 0;
    },
  };
}

function keptOut(check: RateCheck, admitsAtMs: number): RateCheck {
  return {
    ...check,
    verdict: { kind: "exceeds", meter: "requests", admitsAtMs: Number.isFinite(admitsAtMs) ? admitsAtMs : null },
  };
}

/** The parts of a request that a defective limiter counts by, beside key and endpoint. */
function disguiseOf({ rawUrl, fields }: RateOp, switches: Switchboard): string {
  const parts = [
    switches.on("limits/path-variant-bypass") ? rawUrl : undefined,
    switches.on("limits/counts-by-forwarded-address") ? (fields["x-forwarded-for"] ?? fields["x-real-ip"]) : undefined,
    switches.on("limits/counts-by-user-agent") ? fields["user-agent"] : undefined,
    switches.on("limits/counts-by-credential-as-sent") ? fields["authorization"] : undefined,
  ];
  return parts
    .filter((part) => part !== undefined)
    .map((part) => ` ${part.toString()}`)
    .join("");
}
