import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { GateFigure } from "../profile/gate.ts";
import type { Extreme } from "../samples/reread-record.ts";
import { isCeiling } from "./compare-with-bound.ts";
import { judgeGate, type JudgedGate, withdraw } from "./judge-gate.ts";
import type { GateSource } from "./read-figure.ts";

/** How late this machine itself was during the load. */
export interface LoadLateness {
  /** The figures at an end of what they can have been. */
  readonly reread: Readonly<Record<Extreme, () => GateSource>>;
  /** The longest delay of its event loop, in ms. */
  readonly mostMs: number;
}

/**
 * Takes back a verdict that the delays of the event loop during the load could have made: it is another one by the figures at one end
 * of what these leave open. The calibration before the load knows nothing of them.
 */
export function doubtLateness(judged: readonly JudgedGate[], { reread, mostMs }: LoadLateness): readonly JudgedGate[] {
  return judged.map((one) => {
    const { gate, result } = one;
    const isTurned = turningEnds(one).some((end) => judgeGate(gate, reread[end]()).result.verdict !== result.verdict);
    if (!isTurned) return one;
    const late = `the event loop of this machine was up to ${Math.ceil(mostMs)} ms late during the load`;
    return withdraw(
      one,
      `instrument: ${late}, which could have turned this gate; a calmer machine would decide it`,
      "instrument",
    );
  });
}

type Shift = "larger" | "smaller";

/** The ends at which a figure lies nearer to the bound, or beyond it. */
function turningEnds({ gate, result: { verdict } }: JudgedGate): readonly Extreme[] {
  if (verdict !== "pass" && verdict !== "fail") return [];
  const isEquality = gate.operator === "!=" || (gate.operator === "==" && !isCeiling(gate));
  const turning: Shift = (verdict === "pass") === isCeiling(gate) ? "larger" : "smaller";
  const shifts = shiftsOf(gate.figure);
  return (["shortest", "longest"] as const).filter((end) => (isEquality ? shifts[end] !== undefined : shifts[end] === turning));
}

/** How a figure differs from the one that was read, if times were as short or as long as can be; absent: it does not. */
function shiftsOf(figure: GateFigure): Readonly<Partial<Record<Extreme, Shift>>> {
  switch (figure.kind) {
    case "percentile":
    case "moment":
      return shiftsOfMetric(figure.metric);
    case "fraction":
      return figure.name === "goodput" ? lessIsBetter : fewer;
    case "rate":
      return figure.name === "goodput_rate" ? lessIsBetter : more;
    case "capacity":
      return lessIsBetter;
    case "observation":
      return figure.id === "timed-out" ? fewer : {};
    case "count":
      if (figure.name === "retries") return {};
      return figure.name === "requests" ? more : fewer;
    case "limits":
      return {};
    default:
      return figure satisfies never;
  }
}

/** A stall may have kept an answer from being read in time, and what it held up may have been refused. */
const fewer = { shortest: "smaller" } as const;
/** A target that an answer which was read late kept waiting for the next request gave less than it could. */
const more = { shortest: "larger" } as const;
const lessIsBetter = { shortest: "larger", longest: "smaller" } as const;

function shiftsOfMetric(metric: LoadMetric): Readonly<Partial<Record<Extreme, Shift>>> {
  switch (metric) {
    case "ttfb":
    case "ttfe":
    case "ttft":
    case "ttfo":
    case "service-latency":
    case "user-latency":
      return { shortest: "smaller" };
    case "tokens-per-second":
      return { shortest: "larger" };
    // A late first arrival makes the time to the next one shorter.
    case "inter-chunk":
    case "inter-token":
    case "longest-stall":
    case "tpot":
      return { shortest: "smaller", longest: "larger" };
    // The doing of the generator itself.
    case "dispatch-delay":
    case "connect":
      return {};
    default:
      return metric satisfies never;
  }
}
