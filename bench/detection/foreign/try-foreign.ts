import type { SuiteId } from "../../../src/core/result/requirement.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { examineTarget } from "../../../test/make/examine-target.ts";
import { blindRounds } from "./blind-rounds.ts";
import { foreignManifest } from "./foreign-manifest.ts";
import { type ForeignOptions, startForeignService } from "./foreign-service.ts";

export interface ForeignTrial {
  readonly reported: "failed" | "reported" | "silent";
  /** The failing rows, for example `RATE-010: message`. */
  readonly failing: readonly string[];
  readonly advising: readonly string[];
  readonly inconclusive: readonly string[];
  readonly requests: number;
  /** Those that repeat no other one: what is repeated depends on what was answered. */
  readonly firstRequests: number;
  readonly seconds: number;
}

/** One check of the foreign service in real time; of all suites where none are named. */
export async function tryForeign(options: ForeignOptions, suites: readonly SuiteId[] = []): Promise<ForeignTrial> {
  // A mistake that never answers is waited for again and again; a lawful answer may be slow because this machine is busy.
  const lawful = new Set(
    [...blindRounds.values()]
      .flat()
      .filter(({ isLawful }) => isLawful)
      .map(({ id }) => id),
  );
  const timeoutMs = (options.defects ?? []).some((id) => !lawful.has(id)) ? 4000 : 20_000;
  const service = await startForeignService(options);
  const manifest = foreignManifest(service, timeoutMs);
  const startedMs = performance.now();
  try {
    const { findings, result, exchanges } = await examineTarget({ manifest, clock: createRealClock(), suites });
    const list = (verdict: string): readonly string[] =>
      findings.filter((one) => one.verdict === verdict).map(({ requirement, message }) => `${requirement}: ${message}`);
    const failing = list("fail").filter((line) => !line.startsWith("XOAI"));
    return {
      reported: failing.length > 0 ? "failed" : findings.length > 0 ? "reported" : "silent",
      failing,
      advising: list("advisory"),
      inconclusive: result.requirements
        .filter(({ verdict }) => verdict === "inconclusive")
        .map(({ id, reason }) => `${id}: ${reason}`),
      requests: exchanges.length,
      firstRequests: exchanges.filter(({ attempt }) => attempt === 1).length,
      seconds: (performance.now() - startedMs) / 1000,
    };
  } finally {
    await service.close();
  }
}
