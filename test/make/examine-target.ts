import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { type ConformancePlan, planConformance } from "../../src/conformance/plan/plan-conformance.ts";
import { type ConformanceRun, runConformance } from "../../src/conformance/send/run-conformance.ts";
import { type JudgedConformance, judgeConformance } from "../../src/conformance/verdict/judge-conformance.ts";
import { judgeEach } from "../../src/conformance/verdict/judge-exchanges.ts";
import type { Clock } from "../../src/core/clock.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Sender } from "../../src/core/exchange/send-request.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { OnProgress } from "../../src/core/progress.ts";
import { createRandom } from "../../src/core/random.ts";
import type { SuiteId } from "../../src/core/result/requirement.ts";
import { openJudgeContext } from "../../src/run/judge-context.ts";
import { readCatalogue } from "../../src/schemas/read-catalogue.ts";
import type { SettingsJournal } from "../../src/settings/settings-journal.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { allCases } from "../../suites/all-cases.ts";

export interface TargetExam {
  readonly manifest: Manifest;
  readonly clock: Clock;
  /** Of the requests. Default 1. */
  readonly seed?: number;
  /** Default: all. */
  readonly suites?: readonly SuiteId[];
  readonly cases?: readonly string[];
  readonly strict?: boolean;
  /** Stands between the runner and the wire. */
  readonly through?: (sender: Sender) => Sender;
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
  readonly journal?: SettingsJournal;
  /** After the run, while connections are still open. */
  readonly afterwards?: (examined: ExaminedTarget, sender: Sender) => Promise<void>;
}

export interface ExaminedTarget extends JudgedConformance {
  readonly run: ConformanceRun;
  readonly plan: ConformancePlan;
  readonly manifest: Manifest;
  readonly exchanges: readonly Exchange[];
}

/** The whole conformance stage against a target that is up, over real sockets, and its verdicts. */
export async function examineTarget(exam: TargetExam): Promise<ExaminedTarget> {
  const { manifest, clock } = exam;
  const wire = createWire({ manifest, clock });
  const plan = planConformance(allCases, manifest, { suites: exam.suites ?? [], cases: exam.cases ?? [] });
  const context = openJudgeContext(manifest);
  try {
    const run = await runConformance({
      plan,
      manifest,
      sender: exam.through?.(wire) ?? wire,
      clock,
      random: createRandom(exam.seed ?? 1),
      judges: allJudges,
      context,
      journal: exam.journal ?? { record: () => undefined, complete: () => undefined },
      onProgress: exam.onProgress ?? (() => undefined),
      signal: exam.signal ?? new AbortController().signal,
    });
    const judged = judgeConformance({
      exchanges: run.exchanges,
      catalogue: readCatalogue(),
      judges: allJudges,
      context,
      suites: plan.suites,
      untested: plan.untested,
      cases: allCases,
      // Verdicts that were formed while sending hold at the end, as in a run.
      judged: judgeEach(run.exchanges, allJudges, context, run.judged),
      strict: exam.strict ?? false,
    });
    const examined = { ...judged, run, plan, manifest, exchanges: run.exchanges };
    await exam.afterwards?.(examined, wire);
    return examined;
  } finally {
    await wire.close();
  }
}
