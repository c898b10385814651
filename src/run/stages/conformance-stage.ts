import { casesOfRun } from "../cases-of-run.ts";
import { allJudges } from "../../conformance/judges/all-judges.ts";
import type { Unmet } from "../../conformance/plan/case-needs.ts";
import { planConformance } from "../../conformance/plan/plan-conformance.ts";
import { runConformance } from "../../conformance/send/run-conformance.ts";
import type { JudgedExchanges } from "../../conformance/verdict/judge-exchanges.ts";
import { createRandom } from "../../core/random.ts";
import type { OpenTarget } from "../open-target.ts";
import { selectSuites } from "../select-suites.ts";
import { openJudgeContext } from "../judge-context.ts";
import type { RunSession } from "../run-session.ts";

export interface ConformanceStage {
  readonly untested: ReadonlyMap<string, Unmet>;
  /** The verdicts that judges formed already on single exchanges of the stage. */
  readonly judged: JudgedExchanges;
  /** Nothing answers, or the key is refused: later stages have nothing to measure. */
  readonly refused: boolean;
}

/** Sends the conformance cases to the target and records why some could not be sent. */
export async function runConformanceStage(session: RunSession, target: OpenTarget): Promise<ConformanceStage> {
  const { options } = session;
  const { manifest, clock } = target;
  const plan = planConformance(casesOfRun(options), manifest, {
    suites: selectSuites(options),
    cases: options.cases,
    requirements: options.requirements,
  });
  const wire = session.openWire(manifest, clock);
  try {
    const run = await runConformance({
      plan,
      manifest,
      sender: wire,
      clock,
      random: createRandom(options.seed),
      judges: allJudges,
      context: openJudgeContext(manifest),
      journal: session.journal,
      onProgress: options.onProgress,
      signal: options.signal,
    });
    if (run.refusal !== null) session.invalidBecause.push(run.refusal.reason);
    const unfinished = [...run.unfinished].flatMap(([caseId, text]) => {
      const covers = plan.cases.find((one) => one.id === caseId)?.covers ?? [];
      return covers.map((id): readonly [string, Unmet] => [id, { reason: "not-observed", text }]);
    });
    return {
      untested: new Map<string, Unmet>([...unfinished, ...plan.untested]),
      judged: run.judged,
      refused: run.refusal !== null,
    };
  } finally {
    await wire.close();
  }
}
