import type { Arrivals } from "../profile/arrivals.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { ArrivalKind, ArrivalShape, ArrivalsOf } from "./arrival-kind.ts";
import { bisectKind } from "./bisect.ts";
import { burstsKind } from "./bursts.ts";
import { closedKind } from "./closed.ts";
import { rampKind, spikeKind, stepsKind } from "./changing-rate.ts";
import { sessionsKind } from "./sessions.ts";
import { constantKind, gammaKind, poissonKind } from "./steady-rate.ts";
import { capacityKind } from "./capacity.ts";
import { concurrencySweepKind, sweepKind } from "./sweep.ts";
import { traceKind } from "./trace.ts";

/** Every kind of arrivals; a kind of the type `Arrivals` that is missing here does not compile. */
export const arrivalKinds: { readonly [Kind in Arrivals["kind"]]: ArrivalKind<Kind> } = {
  constant: constantKind,
  poisson: poissonKind,
  gamma: gammaKind,
  ramp: rampKind,
  steps: stepsKind,
  spike: spikeKind,
  bursts: burstsKind,
  closed: closedKind,
  sweep: sweepKind,
  bisect: bisectKind,
  "capacity-search": capacityKind,
  "concurrency-sweep": concurrencySweepKind,
  trace: traceKind,
  sessions: sessionsKind,
};

/** The only place that asks for the kind of arrivals. */
export function shapeOf<Kind extends Arrivals["kind"]>(arrivals: { readonly kind: Kind } & ArrivalsOf<Kind>): ArrivalShape {
  const kind: ArrivalKind<Kind> = arrivalKinds[arrivals.kind];
  return kind.shape(arrivals);
}

/** Requests in flight where their number decides what is sent, the most that a search tries; null where a rate or a schedule does. */
export function concurrencyOf(arrivals: Arrivals): number | null {
  const shape = shapeOf(arrivals);
  if (shape.name === "loop") return shape.concurrency;
  if (shape.name !== "search" || shape.levels.of === "rate") return null;
  return Math.max(...shape.worstTrials.map(({ level }) => level));
}

/** Whether first attempts leave at planned instants; otherwise each waits for an answer before it. */
export function isScheduled(arrivals: Arrivals): boolean {
  const shape = shapeOf(arrivals);
  switch (shape.name) {
    case "open":
      return true;
    case "search":
      return shape.levels.of === "rate";
    case "conversations":
    case "loop":
      return false;
    default:
      return shape satisfies never;
  }
}

/** One line for reports: `poisson 20/s for 30 s after 5 s of warm-up`. */
export function describeArrivals(profile: Pick<LoadProfile, "arrivals" | "durationSeconds" | "warmUpSeconds">): string {
  const warmUp = profile.warmUpSeconds > 0 ? ` after ${profile.warmUpSeconds} s of warm-up` : "";
  return shapeOf(profile.arrivals).describe(` for ${profile.durationSeconds} s${warmUp}`);
}
