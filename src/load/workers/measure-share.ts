import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { OnProgress } from "../../core/progress.ts";
import type { LoadSecond } from "../../core/result/load-figures.ts";
import type { ConversationCounts } from "../../core/result/load-result.ts";
import { createRandom, type Random } from "../../core/random.ts";
import { createAbortWatch } from "../send/abort-watch.ts";
import { countAnswers, reportProgress } from "../send/report-progress.ts";
import { sendArrivals } from "../send/send-arrivals.ts";
import type { SentArrivals } from "../send/send-arrivals-input.ts";
import { createHold, type Hold } from "../send/hold.ts";
import type { RecordWatch } from "../samples/early-end.ts";
import { createHopelessWatch } from "../send/hopeless-watch.ts";
import type { EngineInput } from "../send/engine-input.ts";
import { createLevelRepeats, type LevelRepeats } from "../send/level-repeats.ts";
import { createRepeats, type Repeats } from "../send/repeats.ts";
import { LoadEngine } from "../send/load-engine.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { LoadSender } from "../send/load-sender.ts";
import { createPacedSender } from "../send/paced-sender.ts";
import { isScheduled, shapeOf } from "../arrivals/arrival-kinds.ts";
import { createRecordLog, writeLine, type RecordLog, type LedgerSink } from "../ledger/record-log.ts";
import type { LoadPlan } from "../plan/plan-load.ts";
import type { RateBarrier } from "../send/rate-barrier.ts";
import { createOverflowCounter, type OverflowCounter } from "../ledger/overflow-counter.ts";
import { mostRecords } from "../samples/overflow.ts";
import { createRecordStore, type RecordStore } from "../samples/record-store.ts";
import { createLoopDelays } from "../generator/loop-delays.ts";
import { replacedSeconds } from "../generator/replaced-seconds.ts";
import { watchLateness } from "../generator/watch-lateness.ts";
import { createSecondSeries, type SecondSeries, taintBounds } from "../generator/second-series.ts";
import type { ShareResult } from "../ledger/share-result.ts";
import type { Stalls } from "../samples/is-provoked.ts";
import { unseenMs } from "../../wire/clock/loop-watch.ts";
import { profileOfShare, type Share } from "../arrivals/share.ts";
import { createWorkload } from "../workload/workload.ts";
import { warmConnections } from "./warm-connections.ts";

/** The whole of a profile, or what one of several workers sends of it. */
export interface ShareInput {
  /** With the name of the key that is really used. */
  readonly profile: LoadProfile;
  readonly plan: LoadPlan;
  readonly share: Share;
  readonly manifest: Manifest;
  readonly sender: LoadSender;
  readonly clock: Clock;
  readonly seed: number;
  readonly onProgress: OnProgress;
  readonly onExchange: (exchange: Exchange) => void;
  readonly signal: AbortSignal;
  /** Instant of the start on the run clock, asked for when connections are open. */
  readonly startAt: () => number | Promise<number>;
  /** Called once, before the first send; its `stop` ends the share from outside. */
  readonly onEngine?: (engine: Pick<LoadEngine, "stop" | "stopped" | "stopReason">) => void;
  /** Called once, when the last send is due or the share has ended; repeats may follow. Of several workers: when each is there. */
  readonly onSent?: () => void;
  readonly hold?: Hold;
  /** The sends a second that the target permits, shared with everything else that is sent to it; null and default: any number. */
  readonly allowance?: SharedArrayBuffer | null;
  readonly barrier?: RateBarrier;
  readonly virtualTime?: boolean;
  /** Measurements are handed over here, too, as they come. */
  readonly ledger?: LedgerSink;
  /** Records of this share that are kept, what comes after them is counted; default: its part of `mostRecords`. */
  readonly mostRecords?: number;
  /** Whether the budget holds so many more requests of the profile; absent: seconds in which the generator was late are not sent again. */
  readonly affords?: (requests: number) => boolean;
}

/** In-flight requests get this long after an interrupt. */
const interruptGraceMs = 2000;
/**
 * Attempts may be repeated so long after the last send: else the last requests would go without the retries that all others
 * had. An attempt that begins then still has its whole timeout before the grace is over.
 */
const retryTailMs = 2000;

/** Sends a share of a profile from warm-up to the last answer. Never rejects for what the target does. */
export async function measureShare(asked: ShareInput): Promise<ShareResult> {
  const input = { ...asked, profile: profileOfShare(asked.profile, asked.share) };
  const { profile, manifest, clock, plan } = input;
  const random = createRandom(input.seed).fork(profile.id);
  const workload = createWorkload(profile.workload, { manifest, keyName: profile.key, random, wallMs: () => clock.wallMs() });
  await warmConnections(input);
  const startMs = await input.startAt();
  const times = { startMs, fromMs: startMs + 1000 * profile.warmUpSeconds };
  const { store, counter, log } = openRecords(input, times);
  const series = createSecondSeries(startMs);
  const answers = countAnswers();
  let repeats: Repeats | null = null;
  let levelRepeats: LevelRepeats | null = null;
  const repeatedMs = (): number => 1000 * (repeats?.seconds ?? 0);
  const addedMs = (): number => repeatedMs() + 1000 * (levelRepeats?.seconds ?? 0);
  const engine = openEngine(input, times, addedMs, { workload, store, series, watches: [answers, ...endingWatches(input)] });
  input.onEngine?.(engine);
  const live = reportProgress({
    profile: profile.id,
    clock,
    series,
    startMs,
    durationMs: plan.durationMs,
    takeAnswers: answers.take,
    onProgress: input.onProgress,
    ...(log === null ? {} : { onHealth: log.health }),
  });
  repeats = openRepeats(input, times, { series, engine, counter });
  levelRepeats = openLevelRepeats(input, startMs, { series, engine, random });
  const again = { ...(repeats !== null && { repeats }), ...(levelRepeats !== null && { levelRepeats }) };
  const driven = await sendArrivals({ ...input, engine, store, startMs, random, ...again });
  const sendingEndedMs = clock.nowMs();
  input.onSent?.();
  const isInterrupted = engine.stopReason?.kind === "interrupted";
  await engine.drain(isInterrupted ? interruptGraceMs : 1000 * profile.timeoutSeconds + interruptGraceMs);
  const health = live.stop();
  const endMs = clock.nowMs();
  const { stopReason } = engine;
  const toMs = stopReason === null ? driven.toMs : Math.min(driven.toMs, sendingEndedMs);
  counter.flush();
  const measured: ShareResult = {
    records: store.records,
    overflow: counter.overflow,
    areaMs: series.area(endMs),
    health,
    planned: driven.planned,
    retried: engine.retried,
    races: engine.races,
    ...(driven.conversations === null ? {} : { conversations: countConversations(driven.conversations) }),
    ...times,
    ...(repeatedMs() > 0 && { repeated: repeatedMs() / 1000 }),
    toMs: Math.max(times.fromMs, toMs),
    endMs,
    rates: driven.rates,
    ...(driven.lengthsMs === undefined ? {} : { lengthsMs: driven.lengthsMs }),
    ...(driven.replacedSteps === undefined ? {} : { replacedSteps: driven.replacedSteps }),
    stopReason,
  };
  log?.close(measured);
  return measured;
}

/** Of one that sends alone: several would have to agree on it. Its attempts stay within what the plan announced. */
function openRepeats(
  { profile, plan, share, virtualTime, affords }: ShareInput,
  { startMs, fromMs }: ShareTimes,
  { series, engine, counter }: { readonly series: SecondSeries; readonly engine: LoadEngine; readonly counter: OverflowCounter },
): Repeats | null {
  if (affords === undefined || share.count > 1 || virtualTime === true) return null;
  const perSecond = (): number => (1000 * engine.issued) / Math.max(1000, plan.durationMs);
  return createRepeats({
    profile,
    taintedUntil: (toMs) =>
      counter.overflow === null
        ? replacedSeconds({ seconds: lookedAt(series), startMs, fromMs, toMs, repeated: Infinity }).size
        : 0,
    fits(seconds) {
      // Random instants come to somewhat more than their rate.
      const expected = perSecond() * seconds;
      const requests = Math.ceil(expected + 3 * Math.sqrt(expected)) * (1 + profile.retry.max);
      const left = (plan.worstCase.requests ?? Infinity) - engine.races.outOf;
      return requests <= left && affords(requests);
    },
  });
}

/** Of a search that one sends alone, too. */
function openLevelRepeats(
  { profile, share, clock, virtualTime, affords }: ShareInput,
  startMs: number,
  { series, engine, random }: { readonly series: SecondSeries; readonly engine: LoadEngine; readonly random: Random },
): LevelRepeats | null {
  if (affords === undefined || share.count > 1 || virtualTime === true) return null;
  // Seconds are looked at when they are over.
  const lateSince = watchLateness(clock);
  const delaysOf = ({ second, loopDelayMaxMs }: LoadSecond): Pick<LoadSecond, "second" | "loopDelayMaxMs"> => ({
    second,
    loopDelayMaxMs: loopDelayMaxMs ?? lateSince(startMs + 1000 * second),
  });
  return createLevelRepeats({
    profile,
    random,
    delays: () => createLoopDelays(series.seconds().map(delaysOf), [], startMs),
    sent: () => engine.races.outOf,
    affords,
  });
}

/** The last second of a window is looked at a moment after its end. */
function lookedAt(series: SecondSeries): readonly LoadSecond[] {
  return series.seconds().filter(({ loopDelayMaxMs }) => loopDelayMaxMs !== null);
}

function countConversations({ planned, tally }: NonNullable<SentArrivals["conversations"]>): ConversationCounts {
  const { begun, completed, cancelled } = tally;
  return { planned, completed, cancelled, unfinished: begun - completed - cancelled, notSent: planned - begun };
}

interface ShareTimes {
  readonly startMs: number;
  /** End of the warm-up. */
  readonly fromMs: number;
}

/** The destinations of records: memory, beyond its bound counts, and all of them the ledger if there is one. */
function openRecords(
  { profile, share, ledger, mostRecords: mostOfShare }: ShareInput,
  times: ShareTimes,
): { readonly store: RecordStore; readonly counter: OverflowCounter; readonly log: OpenLog | null } {
  const counter = createOverflowCounter({ worker: share.index, startMs: times.startMs, ledger });
  const log = ledger === undefined ? null : openLog(ledger, { loop: share.index, ...times }, counter.flush);
  const isSearch = shapeOf(profile.arrivals).name === "search";
  const store = createRecordStore({
    ...(log === null ? {} : { onRecord: log.add }),
    // A search is judged rate by rate over its records.
    most: isSearch ? Infinity : (mostOfShare ?? Math.floor(mostRecords / share.count)),
    onOverflow: counter.count,
  });
  return { store, counter, log };
}

function openEngine(
  input: ShareInput,
  { startMs, fromMs }: ShareTimes,
  addedMs: () => number,
  parts: Pick<EngineInput, "workload" | "store" | "series" | "watches">,
): LoadEngine {
  const { profile, clock, hold = createHold(), allowance = null } = input;
  const engine: LoadEngine = new LoadEngine({
    ...parts,
    profile,
    sender: createPacedSender({
      sender: input.sender,
      allowance,
      clock,
      scheduled: isScheduled(profile.arrivals),
      stopped: () => engine.stopped,
      hold,
    }),
    clock,
    measureFromMs: fromMs,
    get retryUntilMs() {
      return startMs + input.plan.durationMs + addedMs() + retryTailMs;
    },
    onExchange: input.onExchange,
    signal: input.signal,
    hold,
  });
  return engine;
}

/** Requests that a stall held up have left by so long after it, in ms. */
const heldUpMs = 1000;

/** The watches that end a profile before its time. */
function endingWatches({ profile: { abort, gates, arrivals }, plan, clock }: ShareInput): readonly RecordWatch[] {
  const shape = shapeOf(arrivals);
  // A search goes to levels that fail, and comes back from them.
  if (shape.name === "search" && shape.isLedByGates === true) return [];
  const watch = createAbortWatch(abort);
  // Judged against the whole plan: what one worker sees too much of, the others cannot mend.
  const isBounded = abort.hopeless && plan.sends.length > 0;
  if (!isBounded) return [watch];
  const lateSince = watchLateness(clock);
  const within = (fromMs: number): number => lateSince(fromMs) + unseenMs;
  const stalls: Stalls = {
    within,
    isStalled: (atMs) => within(atMs - heldUpMs) > taintBounds.loopDelayMs,
  };
  const hopeless = createHopelessWatch(gates, plan.attempts ?? plan.sends.length);
  return [watch, { observe: (record) => hopeless.observe(record, stalls) }];
}

/** Lines that a worker holds back go to the ledger this often, so that a crash loses no more. */
const flushMs = 1000;
/** Counts of a longer time share their buckets: a line of five seconds is hardly longer than one of a second. */
const overflowFlushMs = 5000;

interface OpenLog extends Pick<RecordLog, "add" | "health"> {
  close(measured: ShareResult): void;
}

function openLog(
  ledger: LedgerSink,
  begin: { readonly loop: number; readonly startMs: number; readonly fromMs: number },
  flushOverflow: () => void,
): OpenLog {
  const log = createRecordLog(begin.loop, ledger);
  writeLine(ledger, { kind: "start", ...begin });
  const timers = [setInterval(log.flush, flushMs), setInterval(flushOverflow, overflowFlushMs)];
  return {
    ...log,
    close({ records: _records, overflow: _overflow, health: _health, startMs: _startMs, fromMs: _fromMs, ...rest }) {
      for (const timer of timers) clearInterval(timer);
      log.flush();
      writeLine(ledger, { kind: "share", loop: begin.loop, ...rest });
    },
  };
}
