import type { Manifest } from "../../core/manifest.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import type { LoadWorkers } from "../../load/workers/load-workers.ts";
import { createSharedCounters } from "../../wire/budget/budget-counters.ts";
import type { RunSession } from "../run-session.ts";
import { readToolVersion } from "../tool-version.ts";
import { createThreadWorkers } from "../workers/thread-workers.ts";

/** The agents of the run, else so many threads; null where the loop of this thread sends all. */
export function openLoadWorkers(
  session: RunSession,
  manifest: Manifest,
  workerCount: number,
  onOp: (op: LimitOp) => void,
): LoadWorkers | null {
  const { agents } = session.options;
  if (agents === undefined && workerCount <= 1) return null;
  const { budget, seq, evidence, onExchange, onPassive, onTransportRaces } = session.lend(manifest);
  const judge = { evidence, onExchange, onOp, onPassive };
  if (agents === undefined) return createThreadWorkers({ workerCount, budget, seq, judge, onTransportRaces });
  return agents.createWorkers({
    ...judge,
    version: readToolVersion(),
    counters: createSharedCounters(budget),
    seq: new Int32Array(seq),
    onTransportRaces,
  });
}
