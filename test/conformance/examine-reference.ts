import type { Clock } from "../../src/core/clock.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { createRandom } from "../../src/core/random.ts";
import type { Requirement, SuiteId } from "../../src/core/result/requirement.ts";
import type { Sender } from "../../src/core/exchange/send-request.ts";
import type { Verdict } from "../../src/core/result/verdict.ts";
import { judgeEach } from "../../src/conformance/verdict/judge-exchanges.ts";
import { type JudgedConformance, judgeConformance } from "../../src/conformance/verdict/judge-conformance.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { type ConformancePlan, planConformance } from "../../src/conformance/plan/plan-conformance.ts";
import { type ConformanceRun, runConformance } from "../../src/conformance/send/run-conformance.ts";
import type { SettingsJournal } from "../../src/settings/settings-journal.ts";
import { type ReferenceService, startReferenceService } from "../../src/reference/start-reference-service.ts";
import { readCatalogue } from "../../src/schemas/read-catalogue.ts";
import { openJudgeContext } from "../../src/run/record/judge-context.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { allCases } from "../../suites/all-cases.ts";

export const catalogue: readonly Requirement[] = readCatalogue();

export interface ExamineOptions {
  readonly variants?: readonly string[];
  readonly mutants?: readonly string[];
  readonly suites?: readonly SuiteId[];
  readonly cases?: readonly string[];
  readonly latency?: string;
  /** Seed of the service and of the requests; default 1. */
  readonly seed?: number;
  /** Unix milliseconds at which the clock of the service begins; default: now. */
  readonly startMs?: number;
  readonly strict?: boolean;
  /** Time flows between jumps; default: it stands still. */
  readonly flowing?: boolean;
  readonly manifest?: (manifest: Manifest) => Manifest;
  /** Stands between the runner and the wire. */
  readonly through?: (sender: Sender) => Sender;
  readonly signal?: AbortSignal;
  readonly journal?: SettingsJournal;
  /** After the run, while the service is still up. */
  readonly afterwards?: (examined: Examined, service: ReferenceService, sender: Sender) => Promise<void>;
}

export interface Examined extends JudgedConformance {
  readonly run: ConformanceRun;
  readonly plan: ConformancePlan;
  readonly manifest: Manifest;
  readonly exchanges: readonly Exchange[];
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

/** The whole conformance stage against the reference service in this process, over real sockets, waits in virtual time. */
export async function examineReference(options: ExamineOptions = {}): Promise<Examined> {
  const { variants = [], mutants = [], latency = "instant" } = options;
  const service = await startReferenceService({
    clock:
      options.flowing === true ? "real" : options.startMs === undefined ? "manual" : { kind: "manual", startMs: options.startMs },
    seed: options.seed ?? 1,
    variants,
    mutants,
    latency,
    // Some defects crash on purpose: what they answer is judged, what they would log is no trouble of the test.
    ...(mutants.length > 0 && { onCrash: () => {} }),
  });
  try {
    return await examineService(service, options);
  } finally {
    await service.close();
  }
}

async function examineService(service: ReferenceService, options: ExamineOptions): Promise<Examined> {
  const manifest = options.manifest?.(service.manifest) ?? service.manifest;
  const clock = virtualClock(service);
  const wire = createWire({ manifest, clock });
  const plan = planConformance(allCases, manifest, { suites: options.suites ?? [], cases: options.cases ?? [] });
  const context = openJudgeContext(manifest);
  try {
    const run = await runConformance({
      plan,
      manifest,
      sender: options.through?.(wire) ?? wire,
      clock,
      random: createRandom(options.seed ?? 1),
      judges: allJudges,
      context,
      journal: options.journal ?? { record: () => undefined, complete: () => undefined },
      onProgress: () => undefined,
      signal: options.signal ?? new AbortController().signal,
    });
    const judged = judgeConformance({
      exchanges: run.exchanges,
      catalogue,
      judges: allJudges,
      context,
      suites: plan.suites,
      untested: plan.untested,
      cases: allCases,
      judged: judgeEach(run.exchanges, allJudges, context, run.judged),
      strict: options.strict ?? false,
    });
    const verdicts = new Map(judged.result.requirements.map((row) => [row.id, row.verdict]));
    const examined = { ...judged, run, plan, manifest, exchanges: run.exchanges, verdicts };
    await options.afterwards?.(examined, service, wire);
    return examined;
  } finally {
    await wire.close();
  }
}

/** Time flows by itself and jumps with the service's own clock when somebody sleeps. */
function virtualClock({ engine }: ReferenceService): Clock {
  const startMs = performance.now();
  let skippedMs = 0;
  return {
    nowMs: () => performance.now() - startMs + skippedMs,
    wallMs: () => engine.clock.wallMs(),
    sleep: async (ms) => {
      skippedMs += ms;
      await engine.clock.advance(ms);
    },
  };
}
