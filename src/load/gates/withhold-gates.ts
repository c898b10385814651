import { isCeiling } from "./compare-with-bound.ts";

import type { SentLoad } from "../generator/judge-health.ts";
import { judgeGate, type JudgedGate, withdraw } from "./judge-gate.ts";
import type { GateSource } from "./read-figure.ts";

/** The lack of a profile because of which not every verdict on its gates may stand. */
export interface Shortfall {
  /**
   * `measurement`: the figures may be the generator's doing (late sends, a busy loop, counts that contradict each other).
   * `cut`: they are sound, but the profile ended before its time; `interrupted`: so too, and answers in flight were not waited
   * for. `decided`: it ended because a gate had failed beyond repair.
   */
  readonly kind: "measurement" | "cut" | "interrupted" | "decided";
  readonly because: string;
}

/**
 * Takes back what such a profile may not say. A pass does not stand where the load that the gate is about was not put on the target,
 * or not to its end. A failure stands where the shortfall cannot have made it (docs/guide/load.md, "Gates of an invalid run").
 */
export function withholdGates(judged: readonly JudgedGate[], { kind, because }: Shortfall): readonly JudgedGate[] {
  return judged.map((one) => {
    const { verdict } = one.result;
    const isWithdrawn = verdict === "pass" || (verdict === "fail" && !stands(one, kind));
    return isWithdrawn ? withdraw(one, because, kind === "decided" ? undefined : "run-invalid") : one;
  });
}

/** The facts about a generator that was late at times. */
export interface LateGenerator {
  readonly sent: SentLoad;
  /** Figures of times as short as they can have been without the lateness of this machine; null where nobody knows. */
  readonly shortest: (() => GateSource) | null;
  readonly because: string;
}

/**
 * Takes back what late sends and a loop that was late at times can have turned. They make times from the send longer and add errors,
 * refusals and clumps; they take from rates and from goodput. A gate that is met in spite of that is met, so long as the load was put
 * on the target; one that is missed by times as short as they can have been is missed, so long as sends did not leave in clumps. A late
 * reading can make a gap or the time per output token shorter as well: that is asked of each such verdict later (`doubtLateness`).
 */
export function withholdLate(judged: readonly JudgedGate[], { sent, shortest, because }: LateGenerator): readonly JudgedGate[] {
  return judged.map((one) => {
    const { verdict } = one.result;
    if (verdict !== "pass" && verdict !== "fail") return one;
    const met = verdict === "pass";
    if (met === (isCeiling(one.gate) === isRaised(one.gate)))
      return sent.whole && !isTwoSided(one) ? one : withhold(one, because);
    const isProven = verdict === "fail" && stands(one, "measurement");
    const isMissed = sent.punctual && shortest !== null && judgeGate(one.gate, shortest()).result.verdict === verdict;
    return isProven || (isMissed && isTime(one)) ? one : withhold(one, because);
  });
}

function withhold(judged: JudgedGate, because: string): JudgedGate {
  return withdraw(judged, because, "run-invalid");
}

/** Whether late sends make the figure larger; all others they make smaller. */
function isRaised({ figure }: JudgedGate["gate"]): boolean {
  switch (figure.kind) {
    case "percentile":
    case "moment":
      return figure.metric !== "tokens-per-second";
    case "fraction":
      return figure.name !== "goodput";
    case "rate":
    case "capacity":
      return false;
    case "count":
    case "observation":
    case "limits":
      return true;
    default:
      return figure satisfies never;
  }
}

/** A number that must be met exactly may be met by errors that were made up beside others that were missed. */
function isTwoSided({ gate: { operator, bound } }: JudgedGate): boolean {
  return operator === "!=" || (operator === "==" && bound !== 0);
}

function isTime({ gate: { figure } }: JudgedGate): boolean {
  return figure.kind === "percentile" || figure.kind === "moment";
}

/** Whether a failure speaks of the target in spite of the shortfall. */
function stands({ gate, failsSurely }: JudgedGate, kind: Shortfall["kind"]): boolean {
  if (kind === "decided") return true;
  const { figure } = gate;
  switch (figure.kind) {
    // Proofs of the limit checks hold for any instants between send and answer: lateness only widens these intervals.
    case "limits":
      return true;
    case "fraction":
      if (figure.name === "error_rate") return kind === "cut" || failsSurely;
      if (figure.name === "timeout_rate") return kind === "cut";
      // Sends that were held up leave together and may meet a limit; goodput and drops contain the shortfall itself.
      return figure.name === "reject_rate" && kind !== "measurement";
    case "count":
      if (figure.name === "errors") return failsSurely || (isCeiling(gate) && kind === "cut");
      return figure.name === "rejects" && isCeiling(gate) && kind !== "measurement";
    case "observation":
      // The content of a stream does not depend on time; the way it came does.
      return kind !== "measurement" || contentObservations.has(figure.id);
    case "percentile":
    case "moment":
      return kind !== "measurement";
    // A late generator did not ask for the rate, and a profile that was cut had no time to reach it.
    case "rate":
    case "capacity":
      return false;
    default:
      return figure satisfies never;
  }
}

const contentObservations: ReadonlySet<string> = new Set(["broken-framing", "unfinished", "no-token"]);
