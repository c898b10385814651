import type { GateResult } from "../../core/result/gate-result.ts";
import { judgeGate, type GateSource, type JudgedGate } from "./judge-gate.ts";
import type { Gate } from "./gate.ts";

/** What a profile lacks, so that not every verdict on its gates may stand. */
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
 * Takes back what such a profile may not say. A pass never stands: the load that the gate is about was not put on the target,
 * or not to its end. A failure stands where the shortfall cannot have made it (docs/guide/load.md, "Gates of an invalid run").
 * What is taken back is `inconclusive`; it keeps the figures and loses its margin. `certain` holds the figures with those
 * errors alone that no generator can cause.
 */
export function withholdGates(judged: readonly JudgedGate[], shortfall: Shortfall, certain: GateSource): readonly GateResult[] {
  return judged.map(({ gate, result }) => {
    if (result.verdict !== "pass" && result.verdict !== "fail") return result;
    if (result.verdict === "fail" && stands(gate, shortfall.kind, certain)) return result;
    const withheld = { ...result, margin: null, verdict: "inconclusive", reason: shortfall.because } as const;
    return shortfall.kind === "decided" ? withheld : { ...withheld, doubt: "run-invalid" };
  });
}

/** Whether a failure speaks of the target in spite of the shortfall. */
function stands(gate: Gate, kind: Shortfall["kind"], certain: GateSource): boolean {
  if (kind === "decided") return true;
  const { figure } = gate;
  switch (figure.kind) {
    // Proofs of the limit checks hold for any instants between send and answer: lateness only widens these intervals.
    case "limits":
      return true;
    case "fraction":
      if (figure.name === "error_rate") return kind === "cut" || failsSurely(gate, certain);
      // Sends that were held up leave together and may meet a limit; goodput and drops contain the shortfall itself.
      return figure.name === "reject_rate" && kind !== "measurement";
    case "count":
      if (figure.name === "errors") return isCeiling(gate) && (kind === "cut" || failsSurely(gate, certain));
      return figure.name === "rejects" && isCeiling(gate) && kind !== "measurement";
    case "observation":
      // What a stream holds is no matter of time; how it came is.
      return kind !== "measurement" || contentObservations.has(figure.id);
    case "percentile":
    case "moment":
      return kind !== "measurement";
    // A late generator did not ask for the rate, and a profile that was cut had no time to reach it.
    case "rate":
      return false;
    default:
      return figure satisfies never;
  }
}

function failsSurely(gate: Gate, certain: GateSource): boolean {
  return isCeiling(gate) && judgeGate(gate, certain).verdict === "fail";
}

/** Whether more of what is counted can only make it worse. */
function isCeiling(gate: Gate): boolean {
  return gate.operator === "<" || gate.operator === "<=" || (gate.operator === "==" && gate.bound === 0);
}

const contentObservations: ReadonlySet<string> = new Set(["broken-framing", "unfinished", "no-token"]);
