import { redactManifest } from "../../config/redact-manifest.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { LimitFigures } from "../../core/limit-figures.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { LimitAccount } from "../../core/result/limits-result.ts";
import type { LoadLimitCheck } from "../../core/result/gate-result.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import type { ProbeResult } from "../../core/result/probe-result.ts";
import { readLimitFigures, findingsUnderLoad, listLimitChecks } from "../../limits/traffic/traffic-judgement.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import { withholdPasses } from "../../limits/traffic/withhold-passes.ts";
import { worstClockErrorMs } from "../../load/judge/judge-agents.ts";
import type { AgentFacts } from "../../load/ledger/ledger-line.ts";
import { judgeHere, startLimitJudge, type LimitJudge } from "./start-limit-judge.ts";

/** The checks of request limits over the traffic of one load profile. */
export interface RequestWatch {
  readonly onOp: (op: LimitOp) => void;
  /** Ends the watch: blocks until all that came before is judged, and says the same each time. */
  readonly finish: () => WatchedLimits;
}

/** All limit checks over that traffic. */
export interface LimitWatch extends RequestWatch {
  /** The same for a request that this thread sent: spend is judged by its whole answer. */
  readonly onExchange: (exchange: Exchange) => void;
  /** A request of the probe, after the load. */
  readonly onProbe: (exchange: Exchange) => void;
}

export interface WatchedLimits {
  readonly figures: LimitFigures;
  /** Every check, whatever it says. */
  readonly checks: readonly LoadLimitCheck[];
  /** The violations that were proven. */
  readonly findings: readonly Finding[];
  /** Absent: the profile has no probe. */
  readonly probe?: ProbeResult;
  /** Of keys and endpoints for which a cache answered. Absent: of none. */
  readonly account?: readonly LimitAccount[];
}

/** The judgement of a watch, given the agents whose clocks show its instants. */
export function finishWatch(watch: Pick<LimitWatch, "finish">, agents: readonly AgentFacts[]): WatchedLimits {
  return withholdPasses(watch.finish(), worstClockErrorMs(agents));
}

/** From so many requests on a judge in a thread of its own takes over: judging a full segment would stall the worker that sends. */
const threadFrom = 1_000;
/** Requests that are handed over at once. */
const batchSize = 128;

/**
 * `live`: requests are being sent, so that before the watch is finished no call takes longer than handing over a batch. Of a record all is
 * judged here: a second thread takes memory, and nothing waits.
 */
export function watchLimits(profile: string, manifest: ManifestFacts, strict: boolean, live = true): RequestWatch {
  const options = { manifest: redactManifest(manifest), strict };
  let held: LimitOp[] = [];
  let judge: LimitJudge | null = null;
  let watched: WatchedLimits | null = null;
  const onOp = (op: LimitOp): void => {
    held.push(op);
    if (held.length < (judge === null ? threadFrom : batchSize)) return;
    judge ??= live ? startLimitJudge(options) : judgeHere(options);
    judge.take(held);
    held = [];
  };
  const finish = (): WatchedLimits => {
    if (watched !== null) return watched;
    judge ??= judgeHere(options);
    judge.take(held);
    held = [];
    const judged = judge.finish();
    watched = {
      figures: readLimitFigures(judged),
      checks: listLimitChecks(judged.result),
      findings: findingsUnderLoad(profile, judged),
    };
    return watched;
  };
  return { onOp, finish };
}
