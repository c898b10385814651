import { isCeiling } from "./compare-with-bound.ts";
import { type JudgedGate, withdraw } from "./judge-gate.ts";

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
 * Takes back what such a profile may not say. A pass never stands: the load that the gate is about was not put on the target,
 * or not to its end. A failure stands where the shortfall cannot have made it (docs/guide/load.md, "Gates of an invalid run").
 */
export function withholdGates(judged: readonly JudgedGate[], { kind, because }: Shortfall): readonly JudgedGate[] {
  return judged.map((one) => {
    const { verdict } = one.result;
    const isWithdrawn = verdict === "pass" || (verdict === "fail" && !stands(one, kind));
    return isWithdrawn ? withdraw(one, because, kind === "decided" ? undefined : "run-invalid") : one;
  });
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
      return false;
    default:
      return figure satisfies never;
  }
}

const contentObservations: ReadonlySet<string> = new Set(["broken-framing", "unfinished", "no-token"]);
