import { describeJudgeFault } from "./describe-judge-fault.ts";
import { HarnessFault } from "./harness-fault.ts";
import type { JudgeFault } from "./judge-fault.ts";

/** Calls a judge of many answers; where it fails, `instead` is given what it failed with. */
export function guardJudge<Value>(
  judge: string,
  work: () => Value,
  instead: (fault: JudgeFault) => Value,
  exchanges: readonly number[] = [],
): Value {
  try {
    return work();
  } catch (error) {
    // What is wrong whatever a target sends.
    if (error instanceof HarnessFault) throw error;
    return instead({ judge, fault: describeJudgeFault(error), exchanges, more: 0 });
  }
}
