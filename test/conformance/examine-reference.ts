import type { Clock } from "../../src/core/clock.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { Requirement } from "../../src/core/result/requirement.ts";
import type { Sender } from "../../src/core/exchange/send-request.ts";
import type { Verdict } from "../../src/core/result/verdict.ts";
import { type ReferenceService, startReferenceService } from "../../src/reference/start-reference-service.ts";
import { readCatalogue } from "../../src/schemas/read-catalogue.ts";
import { type ExaminedTarget, examineTarget, type TargetExam } from "../make/examine-target.ts";
import { controlToken } from "../make/control-token.ts";
import { workingDayMs } from "../make/working-day.ts";

export const catalogue: readonly Requirement[] = readCatalogue();

/** No end of a minute is near either. */
const usualStartMs = workingDayMs + 620_000;

const flowFactor = 4;

export interface ExamineOptions extends Omit<TargetExam, "manifest" | "clock" | "afterwards"> {
  readonly variants?: readonly string[];
  readonly mutants?: readonly string[];
  readonly latency?: string;
  /** Seed of the service and of the requests; default 1. */
  readonly seed?: number;
  /** Unix milliseconds at which the clock of the service begins; default: a morning in the middle of a month. Not with `flowing`. */
  readonly startMs?: number;
  /** Time flows between jumps, four times as fast as ours; default: it stands still. */
  readonly flowing?: boolean;
  readonly manifest?: (manifest: Manifest) => Manifest;
  /** After the run, while the service is still up. */
  readonly afterwards?: (examined: Examined, service: ReferenceService, sender: Sender) => Promise<void>;
}

export interface Examined extends ExaminedTarget {
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

/** The whole conformance stage against the reference service in this process, over real sockets, waits in virtual time. */
export async function examineReference(options: ExamineOptions = {}): Promise<Examined> {
  const { variants = [], mutants = [], latency = "instant" } = options;
  const service = await startReferenceService({
    clock: options.flowing === true ? flowFactor : { kind: "manual", startMs: options.startMs ?? usualStartMs },
    seed: options.seed ?? 1,
    variants,
    mutants,
    latency,
    controlToken,
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
  const { afterwards, ...exam } = options;
  let reported: Examined | null = null;
  await examineTarget({
    ...exam,
    manifest: options.manifest?.(service.manifest) ?? service.manifest,
    clock: virtualClock(service, options.flowing === true ? () => flowFactor * performance.now() : readingByReading()),
    afterwards: async (examined, sender) => {
      reported = { ...examined, verdicts: new Map(examined.result.requirements.map((row) => [row.id, row.verdict])) };
      await afterwards?.(reported, service, sender);
    },
  });
  return reported!;
}

/** Time passes only by being read: instants differ and keep their order, and nothing depends on the speed of a machine. */
function readingByReading(): () => number {
  let elapsedMs = 0;
  return () => (elapsedMs += 0.01);
}

/** Time flows as `flow` does and jumps with the service's own clock when somebody sleeps. */
function virtualClock({ engine }: ReferenceService, flow: () => number): Clock {
  const startMs = flow();
  let skippedMs = 0;
  return {
    nowMs: () => flow() - startMs + skippedMs,
    wallMs: () => engine.clock.wallMs(),
    sleep: async (ms) => {
      skippedMs += ms;
      await engine.clock.advance(ms);
    },
  };
}
