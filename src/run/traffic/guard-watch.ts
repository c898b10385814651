import { guardJudge } from "../../conformance/verdict/guard-judge.ts";
import { describeJudgeFailure, type JudgeFault } from "../../conformance/verdict/judge-fault.ts";
import type { LimitWatch, WatchedLimits } from "./watch-limits.ts";

/** Name of the judges behind a watch, for findings. */
const judge = "limits under load";

/**
 * A watch whose judges may fail on what a target sent: what they failed on is a finding, and from then on they say nothing, as a
 * history with a gap could accuse a correct limiter. The gates that need them are inconclusive then.
 */
export function guardWatch(watch: LimitWatch): LimitWatch {
  let fault: JudgeFault | null = null;
  const note = (found: JudgeFault): void => {
    fault ??= found;
  };
  const take = (work: () => void, seq: number): void => {
    if (fault === null) guardJudge(judge, work, note, [seq]);
  };
  return {
    onExchange: (exchange) => take(() => watch.onExchange(exchange), exchange.seq),
    onOp: (op) => take(() => watch.onOp(op), op.seq),
    finish() {
      if (fault !== null) return failedWith(fault);
      return guardJudge(judge, watch.finish, (found) => {
        note(found);
        return failedWith(found);
      });
    },
  };
}

function failedWith(fault: JudgeFault): WatchedLimits {
  return { figures: { over_admission: null, violations: null }, checks: [], findings: [describeJudgeFailure(fault)] };
}
