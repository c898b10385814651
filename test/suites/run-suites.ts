import { openJudgeContext } from "../../src/run/record/judge-context.ts";
import { allCases } from "../../suites/all-cases.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { type JudgedConformance, judgeConformance } from "../../src/conformance/verdict/judge-conformance.ts";
import { planConformance } from "../../src/conformance/plan/plan-conformance.ts";
import { runConformance } from "../../src/conformance/send/run-conformance.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { createRandom } from "../../src/core/random.ts";
import type { SuiteId } from "../../src/core/result/requirement.ts";
import { startReferenceService, type ReferenceServiceOptions } from "../../src/reference/start-reference-service.ts";
import { readCatalogue } from "../../src/schemas/read-catalogue.ts";
import { createControlClock } from "../../src/wire/clock/control-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";

export interface SuiteRun {
  readonly judged: JudgedConformance;
  readonly exchanges: readonly Exchange[];
  readonly manifest: Manifest;
}

/** Runs whole suites against the reference service over real sockets; time passes on its control plane. */
export async function runSuites(
  suites: readonly SuiteId[],
  service: ReferenceServiceOptions = {},
  adapt: (manifest: Manifest) => Manifest = (manifest) => manifest,
): Promise<SuiteRun> {
  const reference = await startReferenceService(service);
  const manifest = adapt(reference.manifest);
  const clock = createControlClock(reference.manifest.control!);
  const wire = createWire({ manifest, clock });
  const context = openJudgeContext(manifest);
  try {
    const plan = planConformance(allCases, manifest, { suites, cases: [] });
    const run = await runConformance({
      plan,
      manifest,
      sender: wire,
      clock,
      random: createRandom(7),
      judges: allJudges,
      context,
      journal: { record: () => undefined, complete: () => undefined },
      onProgress: () => undefined,
      signal: new AbortController().signal,
    });
    const judged = judgeConformance({
      exchanges: run.exchanges,
      catalogue: readCatalogue(),
      judges: allJudges,
      context,
      suites: plan.suites,
      untested: plan.untested,
      cases: allCases,
      strict: false,
    });
    return { judged, exchanges: run.exchanges, manifest };
  } finally {
    await wire.close();
    await reference.close();
  }
}
