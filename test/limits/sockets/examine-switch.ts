import { getEventListeners, setMaxListeners } from "node:events";
import { runExam } from "../../make/run-exam.ts";
import { findLimitCheck } from "../../../src/core/result/checks/limit-checks.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Sender } from "../../../src/core/exchange/send-request.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { createRandom } from "../../../src/core/random.ts";
import { planLimits } from "../../../src/limits/exam/plan-limits.ts";
import type { NotJudged } from "../../../src/limits/probe/not-judged.ts";
import type { ExamStages } from "../../../src/limits/probe/exam-stages.ts";
import { judgeLimits, type LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import type { ExamDepth } from "../../../src/limits/probe/probe-tools.ts";
import { type ReferenceService, startReferenceService } from "../../../src/reference/start-reference-service.ts";
import type { Mutant, Switch, SwitchArea } from "../../../src/reference/switches/switch.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { controlToken } from "../../make/control-token.ts";
import { workingDayMs } from "../../make/working-day.ts";
import { createHandClock } from "./hand-clock.ts";

/** Areas whose defects the limits stage is to find. */
export type LimitArea = Extract<SwitchArea, "limits" | "burst" | "spend" | "tokens">;

export const limitAreas: readonly LimitArea[] = ["limits", "burst", "spend", "tokens"];

/** Keys that the exam of an area uses; without those of the others no other exam is planned. */
const keysOfArea: Readonly<Record<LimitArea, readonly string[]>> = {
  limits: ["primary", "secondary", "starter", "examRequests", "examRequestsTwin", "admin"],
  burst: ["secondary", "examRequestsTwin", "examBurst", "examSettings", "examBurstQueue", "queue", "admin"],
  spend: ["spendA", "spendB", "spendAdmin", "examSpend", "admin"],
  tokens: ["examTokens", "lowToken"],
};

/** The names that the limits stage must report for a mutant: checks, and if it declares none, rows of the catalogue. */
export function limitRows({ violates, needs }: Mutant): readonly string[] {
  const checks = violates.filter((id) => findLimitCheck(id) !== undefined);
  return checks.length > 0 ? checks : needs?.includes("stage:limits") ? violates : [];
}

export interface SwitchExam {
  readonly exam?: ExamDepth;
  /** Decides the instant within a minute at which the exam begins, and every chance in the service. Default 1. */
  readonly seed?: number;
  /** The instant at which the clock of the service begins, Unix ms. Default: within a minute of a working day. */
  readonly startMs?: number;
  /** Lawful variants that are on as well. */
  readonly variants?: readonly string[];
  /**
   * `real`: windows of sixty seconds are waited for, and no exam knows of a clock to move. `hand`: moved by hand, and the exam knows that
   * time costs nothing. `blind`: moved by hand, with the schedule of real time.
   */
  readonly time?: "hand" | "blind" | "real";
  /** Stands between the exam and the wire. */
  readonly through?: (sender: Sender) => Sender;
  /** Is given the service before anything is sent. */
  readonly onService?: (service: ReferenceService) => void;
  /** Keys that the manifest does not name. */
  readonly without?: readonly string[];
  /** Other changes of the declaration. */
  readonly declare?: (manifest: Manifest) => Manifest;
  /** Judges the evidence so far of a service that takes longer than an exam may. */
  readonly mayEndEarly?: boolean;
  /** The stages of the exam that are asked for. Default: all. */
  readonly stages?: ExamStages;
  /** Whether money may be spent. Default: what the area or the switch needs. */
  readonly isPaid?: boolean;
}

export interface SwitchRecord {
  readonly exchanges: readonly Exchange[];
  readonly manifest: Manifest;
  /** The most that the exam costs according to the plan. */
  readonly promisedCents: number;
  /** The parts that the manifest or the target did not let the exam judge. */
  readonly notJudged: readonly NotJudged[];
}

/** One exam of one area against the reference service with one switch on, over real sockets. */
export async function examineSwitch(area: LimitArea, one: Switch | null, options: SwitchExam = {}): Promise<LimitsJudgement> {
  const { promisedCents, exchanges, manifest } = await recordSwitch(area, one, options);
  const judgement = judgeLimits({ exchanges, manifest, strict: false });
  const { cents } = judgement.result.spent;
  if (cents > promisedCents)
    throw new Error(`the exam of ${one?.id ?? area} cost ${cents} cents, its plan says ${promisedCents} at most`);
  return judgement;
}

/** As `examineSwitch`, with the judging left to the caller. */
export async function recordSwitch(area: LimitArea, one: Switch | null, options: SwitchExam = {}): Promise<SwitchRecord> {
  const { exam = "short", seed = 1, variants = [], time = "hand", without = [], isPaid = needsMoney(area, one) } = options;
  const startMs = options.startMs ?? workingDayMs + Math.floor(createRandom(seed).fork("start").next() * 60_000);
  const service = await startReferenceService({
    clock: time === "real" ? "real" : { kind: "manual", startMs },
    seed,
    variants: one?.kind === "variant" ? [one.id, ...variants] : variants,
    mutants: one?.kind === "mutant" ? [one.id] : [],
    controlToken,
  });
  options.onService?.(service);
  const { declare = (declared) => declared } = options;
  const known = declare(manifestOf(area, service.manifest, { without, isPaid }));
  const manifest = time === "hand" ? known : { ...known, control: null };
  const exchanges: Exchange[] = [];
  const hand = time === "real" ? null : createHandClock(service.engine.clock, time === "hand" ? "in real time" : "here");
  const clock = hand ?? createRealClock();
  const wire = createWire({ manifest, clock, onExchange: (exchange) => exchanges.push(exchange) });
  const sender = hand?.watch(wire) ?? wire;
  // If the clock is moved by hand, the timeout of the test ends requests that hang.
  const signal = time === "real" ? AbortSignal.timeout(1_800_000) : new AbortController().signal;
  // Each sleep of an exam side by side with others listens to it.
  setMaxListeners(0, signal);
  try {
    const { stopped, plan, notJudged } = await runExam(
      { manifest, sender: options.through?.(sender) ?? sender, clock },
      seed,
      {
        exam,
        signal,
      },
      options.stages === undefined ? undefined : await planLimits(manifest, exam, { stages: options.stages }),
    );
    if (stopped !== null && options.mayEndEarly !== true)
      throw new Error(`the exam of ${one?.id ?? area} ended early: ${stopped}`);
    // The wire keeps one listener a signal, and nothing sleeps any more: of a wait that an answer has ended, a fifth of a second may be left.
    if (time === "real") await clock.sleep(300);
    const left = getEventListeners(signal, "abort").length;
    if (left > 1) throw new Error(`the exam of ${one?.id ?? area} left ${left} listeners behind`);
    return { exchanges, manifest, promisedCents: plan.cents, notJudged };
  } finally {
    await wire.close();
    await service.close();
  }
}

/** The other endpoints have tests of their own: without money to spend they are left alone. */
export function needsMoney(area: LimitArea, one: Switch | null): boolean {
  return area !== "limits" || (one?.kind === "mutant" && one.needs?.includes("permission:spendUpToCents") === true);
}

function manifestOf(
  area: LimitArea,
  manifest: Manifest,
  { without, isPaid }: Required<Pick<SwitchExam, "without" | "isPaid">>,
): Manifest {
  const patchSettings = area === "burst" || area === "spend";
  const keys = Object.fromEntries(
    Object.entries(manifest.keys).filter(([name]) => keysOfArea[area].includes(name) && !without.includes(name)),
  );
  const spendUpToCents = isPaid ? manifest.permissions.spendUpToCents : 0;
  return { ...manifest, keys, permissions: { ...manifest.permissions, patchSettings, spendUpToCents } };
}
