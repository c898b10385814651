import pLimit from "p-limit";
import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { OnProgress } from "../../core/progress.ts";
import type { Random } from "../../core/random.ts";
import type { Sender } from "../../core/exchange/send-request.ts";
import type { SettingsJournal } from "../../settings/settings-journal.ts";
import { awaitCalm } from "./await-calm.ts";
import { createCaseTools, type CaseSession, type Confirmation } from "./case-tools.ts";
import type { Case } from "../plan/case.ts";
import { findOutage, isAlive } from "../verdict/find-outage.ts";
import { checkTarget, sendTargetChecks, targetCheck, type TargetRefusal } from "./check-target.ts";
import { chooseConfirmations } from "../verdict/choose-confirmations.ts";
import { judgeEach, type JudgedExchanges, judgeExchanges } from "../verdict/judge-exchanges.ts";
import type { Judge, JudgeContext } from "../judging/judge.ts";
import type { ConformancePlan } from "../plan/plan-conformance.ts";
import { createLookout } from "../plan/lookout.ts";
import { conformanceBounds } from "./conformance-bounds.ts";
import { createFramingWatch } from "../plan/framing-watch.ts";
import { createPatience, OutOfPatience } from "../plan/patience.ts";
import { createQuietClock } from "./quiet-clock.ts";
import { createRequestPacer } from "./request-pacer.ts";
import { createWaitAccount } from "../plan/wait-account.ts";

export interface RunConformanceOptions {
  readonly plan: ConformancePlan;
  readonly manifest: Manifest;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly random: Random;
  /** Chooses which failures have to be confirmed. */
  readonly judges: readonly Judge[];
  readonly context: JudgeContext;
  readonly journal: SettingsJournal;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
  /** Cases that run side by side; requests of one key and endpoint are paced beyond that. */
  readonly concurrency?: number;
}

export interface ConformanceRun {
  /** Everything that was sent, repetitions included. */
  readonly exchanges: readonly Exchange[];
  /** The statements of judges about them one by one while failures were confirmed. */
  readonly judged: JudgedExchanges;
  /** Set when the run stopped before its cases. */
  readonly refusal: TargetRefusal | null;
  /** Cases that were not finished, with the reason: the budget, the interruption, a fault of ours. */
  readonly unfinished: ReadonlyMap<string, string>;
}

const defaultConcurrency = 8;

/**
 * Sends the planned cases and confirms what failed. Judging is not its business beyond that: the verdict comes from
 * `judgeConformance` over the record. Rejects only for faults of ours; an abort ends it early with what there is.
 */
export async function runConformance(options: RunConformanceOptions): Promise<ConformanceRun> {
  const { plan, onProgress } = options;
  const exchanges: Exchange[] = [];
  const unfinished = new Map<string, string>();
  let judged: JudgedExchanges = new Map();
  const watch = createOutageWatch();
  const session = openSession(options, (exchange) => {
    exchanges.push(exchange);
    watch.observe(exchange);
  });
  onProgress({
    kind: "stage-started",
    stage: "conformance",
    title: count(plan.cases.length, "case"),
    plannedRequests: plan.cost.requests,
    // The plan knows its waits, not the speed of a target.
    etaMs: plan.cost.minutes === 0 || options.manifest.control !== null ? null : plan.cost.minutes * 60_000,
  });
  const { tokens, worstCents } = plan.cost;
  // A service with a control plane is the reference service: its tokens cost nothing, and its clock jumps over waits.
  const isReal = options.manifest.control === null;
  const { maxRequests } = options.manifest.budget;
  if (maxRequests !== null && maxRequests < plan.cost.requests) {
    const words = `the budget holds ${maxRequests} of the ${plan.cost.requests} requests planned, so that not everything will be judged`;
    onProgress({ kind: "note", text: `conformance: ${words}; raise budget.maxRequests` });
  }
  // The bounds whatever the target does stand in the worst case of the run, and whole in the plan.
  if (isReal)
    onProgress({
      kind: "note",
      text: `conformance: at most ${tokens} tokens, ${(worstCents / 100).toFixed(2)} USD${describeWait(plan, options.manifest)}`,
    });
  const refusal = await guard(async () => checkTarget(createCaseTools(targetCheck, session, null)), options.signal);
  if (refusal === null && !options.signal.aborted) {
    await runCases(plan.cases, session, { unfinished, options, title: "", isOut: watch.isOut });
    if (!watch.isOut()) judged = await confirmFailures(session, { exchanges, unfinished, options });
    // The last requests may be those that a sound target refuses to answer: one valid request distinguishes them from an outage.
    if (findOutage(exchanges) !== null)
      await guard(async () => sendTargetChecks(createCaseTools(targetCheck, session, null)), options.signal);
  }
  for (const one of plan.cases) {
    if (options.signal.aborted && !exchanges.some((exchange) => exchange.caseId === one.id)) {
      unfinished.set(one.id, "the run was interrupted");
    }
  }
  // Requests that the budget held back did not leave.
  const sent = exchanges.filter(({ failure }) => failure?.kind !== "budget").length;
  onProgress({
    kind: "stage-finished",
    stage: "conformance",
    summary: refusal?.reason ?? `${count(plan.cases.length, "case")}, ${count(sent, "request")}`,
  });
  return { exchanges, judged, refusal, unfinished };
}

/** Without a declared limit nothing is known beforehand; the target says then when to wait. Waits that are known stand in the title. */
function describeWait({ cost }: ConformancePlan, { limits, target }: Manifest): string {
  const isKnown = limits.requestsPerMinute !== null || target.plan !== null;
  return cost.minutes > 0 || isKnown ? "" : "; no wait is foreseen, as no limit is declared";
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function openSession(options: RunConformanceOptions, record: CaseSession["record"]): CaseSession {
  const { manifest, random, journal, onProgress, signal } = options;
  // A control plane means a clock that a sleep moves for everybody.
  const { clock, sender } = manifest.control === null ? options : createQuietClock(options.clock, options.sender);
  const onWait = (allowance: string, ms: number): void => {
    if (manifest.control !== null) return;
    onProgress({ kind: "waiting", stage: "conformance", reason: `${allowance}: the window is used up`, ms });
  };
  const onDistrust = (allowance: string): void =>
    onProgress({
      kind: "note",
      text: `${allowance}: the target says that nothing remains, and serves; its numbers are not waited for`,
    });
  const waits = createWaitAccount(clock, 60_000 * conformanceBounds(options.plan.cost, manifest).waitMinutes);
  return {
    manifest,
    sender,
    clock,
    random,
    journal,
    onProgress,
    signal,
    patience: createPatience(),
    framings: createFramingWatch(),
    waits,
    lookout: createLookout(clock, waits),
    pacer: createRequestPacer({ clock, waits, onWait, onDistrust }),
    record,
  };
}

/** The value, or null when the run was aborted meanwhile, or nothing more is waited for. */
async function guard<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || error instanceof OutOfPatience) return null;
    throw error;
  }
}

interface CaseLoop {
  readonly unfinished: Map<string, string>;
  readonly options: RunConformanceOptions;
  readonly title: string;
  /** Whether the target stopped answering: what is left is not sent. */
  readonly isOut?: () => boolean;
  readonly confirmation?: (one: Case) => Confirmation;
}

async function runCases(cases: readonly Case[], session: CaseSession, loop: CaseLoop): Promise<void> {
  const { onProgress, signal, concurrency } = loop.options;
  const limit = pLimit(concurrency ?? defaultConcurrency);
  const byResource = new Map<string, Promise<void>>();
  let done = 0;
  const runOne = async (one: Case): Promise<void> => {
    if (signal.aborted) return;
    if (loop.isOut?.() === true) {
      loop.unfinished.set(one.id, "the target stopped answering");
      return;
    }
    try {
      await one.run(createCaseTools(one, session, loop.confirmation?.(one) ?? null));
    } catch (error) {
      if (error instanceof OutOfPatience) loop.unfinished.set(one.id, error.message);
      else if (!signal.aborted) throw error;
      else loop.unfinished.set(one.id, "the run was interrupted");
    }
    done += 1;
    onProgress({ kind: "advanced", stage: "conformance", done, total: cases.length, current: `${loop.title}${one.id}` });
  };
  await Promise.all(
    cases
      .filter(({ alone }) => alone !== true)
      .map((one) => {
        if (one.resource === undefined) return limit(() => runOne(one));
        // Cases that wait for a resource wait outside the limit, or they would hold all its places.
        const before = byResource.get(one.resource) ?? Promise.resolve();
        const mine = before.then(() => limit(() => runOne(one)));
        byResource.set(one.resource, mine);
        return mine;
      }),
  );
  for (const one of cases) if (one.alone === true) await runOne(one);
}

interface ConfirmLoop {
  readonly exchanges: readonly Exchange[];
  readonly unfinished: Map<string, string>;
  readonly options: RunConformanceOptions;
}

async function confirmFailures(session: CaseSession, { exchanges, unfinished, options }: ConfirmLoop): Promise<JudgedExchanges> {
  if (options.signal.aborted) return new Map();
  const first = [...exchanges];
  const judged = judgeEach(first, options.judges, options.context);
  const occurrences = judgeExchanges(first, options.judges, options.context, judged);
  const again = chooseConfirmations(occurrences, first, options.plan.cases);
  if (again.length === 0) return judged;
  options.onProgress({
    kind: "note",
    text: `confirming ${again.length} ${again.length === 1 ? "case" : "cases"} on fresh connections`,
  });
  // An instrument that was late may have spoiled the first answers. A clock that is moved by hand shows no lateness.
  if (options.manifest.control === null) await awaitCalm(session.clock, options.signal).catch(() => undefined);
  const confirmation = (one: Case): Confirmation => {
    const sent = first.filter((exchange) => exchange.caseId === one.id);
    return {
      firstAttempts: new Map(sent.map((exchange) => [exchange.label, exchange.retryOf ?? exchange.seq])),
      attempts: new Map(
        sent.toSorted((left, right) => left.attempt - right.attempt).map((exchange) => [exchange.label, exchange.attempt]),
      ),
    };
  };
  // A case that got no answer may get none again for its confirmation, within the same bound.
  await runCases(again, { ...session, patience: createPatience() }, { unfinished, options, title: "confirming ", confirmation });
  return judged;
}

/** Answers in a row that show no service at work before the rest is not sent: every case would only wait for its time-outs. */
const patience = 24;

interface OutageWatch {
  readonly observe: (exchange: Exchange) => void;
  readonly isOut: () => boolean;
}

/** Notices while cases are sent that the target stopped answering. */
function createOutageWatch(): OutageWatch {
  let inARow = 0;
  return {
    observe: (exchange) => {
      if (exchange.intent.kind === "violates" && exchange.intent.condition === "fault-trigger") return;
      inARow = isAlive(exchange) ? 0 : inARow + 1;
    },
    isOut: () => inARow >= patience,
  };
}
