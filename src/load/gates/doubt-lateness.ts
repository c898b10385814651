import type { LoadMetric } from "../../core/result/load-figures.ts";
import { isCeiling } from "./compare-with-bound.ts";
import { judgeGate, type JudgedGate, withdraw } from "./judge-gate.ts";
import type { GateSource } from "./read-figure.ts";

/** Times from a send to an arrival: the event loop of this machine can make them longer, and never shorter. */
const arrivals: ReadonlySet<LoadMetric> = new Set(["ttfb", "ttfe", "ttft", "ttfo", "service-latency", "user-latency"]);

/** How late this machine itself was during the load. */
export interface LoadLateness {
  /** Figures from which all of it was taken. */
  readonly punctual: GateSource;
  /** The longest delay of its event loop, in ms. */
  readonly mostMs: number;
}

/**
 * Takes back a failure of a ceiling on a time that the delays of the event loop during the load could have made: it does not fail by the
 * figures from which they were taken. The calibration before the load knows nothing of them.
 */
export function doubtLateness(judged: readonly JudgedGate[], { punctual, mostMs }: LoadLateness): readonly JudgedGate[] {
  return judged.map((one) => {
    const { gate, result } = one;
    const { figure } = gate;
    const isArrival = (figure.kind === "percentile" || figure.kind === "moment") && arrivals.has(figure.metric);
    if (result.verdict !== "fail" || !isArrival || !isCeiling(gate)) return one;
    if (judgeGate(gate, punctual).result.verdict === "fail") return one;
    const late = `the event loop of this machine was up to ${Math.ceil(mostMs)} ms late during the load`;
    return withdraw(
      one,
      `instrument: ${late}, which could have turned this gate; a calmer machine would decide it`,
      "instrument",
    );
  });
}
