import { redactManifest } from "../../config/redact-manifest.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { LoadLimitCheck } from "../../core/result/load-result.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import { readOp } from "../../limits/history/history.ts";
import type { LimitsJudgement } from "../../limits/exam/judge-limits.ts";
import { readLimitFigure } from "../../limits/traffic/gate-figures.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import { findingsUnderLoad } from "../../limits/traffic/findings-under-load.ts";
import { listLimitChecks } from "../../limits/traffic/list-limit-checks.ts";
import { judgeHere, startLimitJudge, type LimitJudge } from "./start-limit-judge.ts";

/** The limit checks over the traffic of one load profile. */
export interface LimitWatch {
  readonly onExchange: (exchange: Exchange) => void;
  /** The same for a request that was read elsewhere (`readOp`), by a loop in another thread. */
  readonly onOp: (op: LimitOp) => void;
  /** Figure of a gate; null where no check had the evidence to speak. Ends the watch. */
  readonly figure: (name: "over_admission" | "violations") => number | null;
  /** Every check, whatever it says. Ends the watch. */
  readonly checks: () => readonly LoadLimitCheck[];
  /** What was proven wrong. Ends the watch. */
  readonly findings: () => readonly Omit<Finding, "id">[];
}

/** From so many requests on a judge in a thread of its own takes over: judging a full segment would stall the loop that sends. */
const threadFrom = 1_000;
/** Requests that are handed over at once. */
const batchSize = 128;

/** Ending the watch blocks until all is judged; before, no call takes longer than handing over a batch. */
export function watchLimits(profile: string, manifest: ManifestFacts, strict: boolean): LimitWatch {
  const options = { manifest: redactManifest(manifest), strict };
  let held: LimitOp[] = [];
  let judge: LimitJudge | null = null;
  let judged: LimitsJudgement | null = null;
  const onOp = (op: LimitOp): void => {
    held.push(op);
    if (held.length < (judge === null ? threadFrom : batchSize)) return;
    judge ??= startLimitJudge(options);
    judge.take(held);
    held = [];
  };
  const finish = (): LimitsJudgement => {
    if (judged !== null) return judged;
    judge ??= judgeHere(options);
    judge.take(held);
    held = [];
    return (judged = judge.finish());
  };
  return {
    onExchange: (exchange) => {
      const op = readOp(exchange);
      if (op !== null) onOp(op);
    },
    onOp,
    figure: (name) => readLimitFigure(finish(), name),
    checks: () => listLimitChecks(finish().result),
    findings: () => findingsUnderLoad(profile, finish()),
  };
}
