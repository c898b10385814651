import type { SuiteId } from "../../src/core/result/requirement.ts";
import { createRandom } from "../../src/core/random.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { planConformance } from "../../src/conformance/plan/plan-conformance.ts";
import { runConformance } from "../../src/conformance/send/run-conformance.ts";
import { judgeConformance } from "../../src/conformance/verdict/judge-conformance.ts";
import { openJudgeContext } from "../../src/run/record/judge-context.ts";
import { readCatalogue } from "../../src/schemas/read-catalogue.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { allCases } from "../../suites/all-cases.ts";
import { foreignManifest } from "./foreign-manifest.ts";
import { type ForeignOptions, startForeignService } from "./foreign-service.ts";

export interface ForeignTrial {
  readonly told: "failed" | "told" | "silent";
  /** What fails: `RATE-010: message`. */
  readonly failing: readonly string[];
  readonly advising: readonly string[];
  readonly inconclusive: readonly string[];
  readonly requests: number;
  readonly seconds: number;
}

const catalogue = readCatalogue();

/** One check of the foreign service in real time; of all suites where none are named. */
export async function tryForeign(options: ForeignOptions, suites: readonly SuiteId[] = []): Promise<ForeignTrial> {
  // What never answers is waited for again and again; what is lawful may be slow because this machine is busy.
  const timeoutMs = (options.defects ?? []).length > 0 ? 4000 : 20_000;
  const service = await startForeignService(options);
  const manifest = foreignManifest(service, timeoutMs);
  const clock = createRealClock();
  const wire = createWire({ manifest, clock });
  const plan = planConformance(allCases, manifest, { suites, cases: [] });
  const context = openJudgeContext(manifest);
  const startedMs = performance.now();
  try {
    const run = await runConformance({
      plan,
      manifest,
      sender: wire,
      clock,
      random: createRandom(1),
      judges: allJudges,
      context,
      journal: { record: () => undefined, complete: () => undefined },
      onProgress: () => undefined,
      signal: new AbortController().signal,
    });
    const { findings, result } = judgeConformance({
      exchanges: run.exchanges,
      catalogue,
      judges: allJudges,
      context,
      suites: plan.suites,
      untested: plan.untested,
      cases: allCases,
      strict: false,
    });
    const list = (verdict: string): readonly string[] =>
      findings.filter((one) => one.verdict === verdict).map(({ requirement, message }) => `${requirement}: ${message}`);
    const failing = list("fail").filter((line) => !line.startsWith("XOAI"));
    return {
      told: failing.length > 0 ? "failed" : findings.length > 0 ? "told" : "silent",
      failing,
      advising: list("advisory"),
      inconclusive: result.requirements
        .filter(({ verdict }) => verdict === "inconclusive")
        .map(({ id, reason }) => `${id}: ${reason}`),
      requests: run.exchanges.length,
      seconds: (performance.now() - startedMs) / 1000,
    };
  } finally {
    await wire.close();
    await service.close();
  }
}
