import { estimateWorstCase } from "../../core/cost-estimate.ts";
import type { Manifest } from "../../core/manifest.ts";
import { isPurchase } from "../history/is-purchase.ts";
import { createRandom } from "../../core/random.ts";
import type { SeenLimiter } from "./ask-limiter.ts";
import { createDryClock } from "./dry-clock.ts";
import { DryRequests } from "./dry-requests.ts";
import { createDrySender } from "./dry-sender.ts";
import { DryTarget } from "./dry-target.ts";
import { createDryTools } from "./dry-tools.ts";
import type { DryCounting } from "./dry-windows.ts";
import type { PreparedProbe } from "../probe/limit-probe.ts";
import { tolerancesFor } from "../history/tolerances.ts";
import { createProbeTools, type ExamDepth } from "../probe/probe-tools.ts";

interface Circumstance extends DryCounting {
  /** The position within a window of the clock at which the exam begins. */
  readonly share: number;
}

const windows: readonly Circumstance[] = [
  { family: "fixed-window", share: 0 },
  { family: "fixed-window", share: 0.35 },
  { family: "fixed-window", share: 0.7 },
];
/** For a schedule, entries leave a log and fade from a counter one window after they came. */
const sliding: readonly Circumstance[] = [...windows, { family: "fixed-from-first", share: 0 }];
const bucket: Circumstance = { family: "token-bucket", share: 0 };
/** A bucket that smooths bursts. */
const smallBucket: Circumstance = { ...bucket, holdsShare: 0.25 };

/**
 * The ways to count that the plan supposes, unless the manifest or an answer says how the target counts. The time that an exam
 * waits depends on them.
 */
function circumstancesOf(manifest: Manifest, seen: SeenLimiter | null): readonly Circumstance[] {
  if (seen?.counts.kind === "windows") return sliding;
  if (seen?.counts.kind === "bucket") return [{ ...bucket, holdsShare: seen.counts.holds / seen.limit }];
  if (manifest.limits.algorithm === null) return [...windows, bucket];
  return isBucket(manifest) ? [bucket] : sliding;
}

function isBucket({ limits: { algorithm } }: Manifest): boolean {
  return algorithm === "token-bucket" || algorithm === "batch-refill";
}

interface OneRun {
  readonly requests: number;
  readonly minutes: number;
  readonly phases: number;
  /** The most that the requests can cost, each of them served: a defect may serve a request that the model refuses. */
  readonly cents: number;
  /** Purchases of the exam of caps that were sent. */
  readonly purchases: number;
}

/** `cents` and `purchases`: the most in any circumstance, whatever limit within reach the target has where none is declared. */
export interface DryFigures extends OneRun {
  /** The fewest and the most in any circumstance, a bucket much smaller than the limit among them. */
  readonly range: {
    readonly requests: readonly [least: number, most: number];
    readonly minutes: readonly [least: number, most: number];
    /** At most, with the limits that are declared or supposed, and with the largest that is used up where none is declared. */
    readonly cents: readonly [supposed: number, largest: number];
  };
}

/**
 * Runs one schedule against a model of a correct target, so that the plan is the schedule. Returns its requests and its time,
 * on average over begins and, if the manifest does not declare the way to count, over two ways.
 */
export async function dryRun(
  probe: PreparedProbe,
  declared: Manifest,
  exam: ExamDepth,
  { seen = null, signal }: { readonly seen?: SeenLimiter | null; readonly signal?: AbortSignal | undefined } = {},
): Promise<DryFigures> {
  const manifest = withLimit(declared, seen);
  const runWith = async (one: Manifest, circumstance: Circumstance): Promise<OneRun> => {
    // A dry run waits for nothing: without a turn of the event loop no signal of an operator would be seen.
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    signal?.throwIfAborted();
    return runOnce(probe, one, exam, circumstance);
  };
  const runOf = (circumstance: Circumstance): Promise<OneRun> => runWith(manifest, circumstance);
  const expected: OneRun[] = [];
  for (const circumstance of circumstancesOf(manifest, seen)) expected.push(await runOf(circumstance));
  const isOpen = seen === null && (manifest.limits.algorithm === null || isBucket(manifest));
  const all = isOpen ? [...expected, await runOf(smallBucket)] : expected;
  const mean = (pick: (one: OneRun) => number): number => expected.reduce((sum, one) => sum + pick(one), 0) / expected.length;
  const rangeOf = (pick: (one: OneRun) => number): readonly [number, number] => [
    Math.min(...all.map(pick)),
    Math.max(...all.map(pick)),
  ];
  const dearest = withDearest(manifest, probe);
  const largest = dearest === manifest ? all : [...all, await runWith(dearest, windows[0]!)];
  const centsOf = (runs: readonly OneRun[]): number => Math.ceil(Math.max(...runs.map(({ cents }) => cents)));
  const cents = centsOf(largest);
  return {
    requests: Math.round(mean(({ requests }) => requests)),
    minutes: roundMinutes(mean(({ minutes }) => minutes)),
    phases: Math.max(...expected.map(({ phases }) => phases)),
    cents,
    purchases: Math.max(...all.map(({ purchases }) => purchases)),
    range: {
      requests: rangeOf(({ requests }) => requests),
      minutes: rangeOf(({ minutes }) => roundMinutes(minutes)),
      cents: [centsOf(all), cents],
    },
  };
}

/** The manifest with the largest limit whose use costs something, for each limit that is not declared. */
function withDearest(manifest: Manifest, { dearest = {} }: PreparedProbe): Manifest {
  const limits = { ...manifest.limits };
  for (const member of ["requestsPerMinute", "tokensPerMinute"] as const) limits[member] ??= dearest[member] ?? null;
  const { requestsPerMinute, tokensPerMinute } = manifest.limits;
  const isDeclared = limits.requestsPerMinute === requestsPerMinute && limits.tokensPerMinute === tokensPerMinute;
  return isDeclared ? manifest : { ...manifest, limits };
}

/** The stated limit where none is declared. */
function withLimit(manifest: Manifest, seen: SeenLimiter | null): Manifest {
  if (seen === null || manifest.limits.requestsPerMinute !== null) return manifest;
  return { ...manifest, limits: { ...manifest.limits, requestsPerMinute: seen.limit } };
}

function roundMinutes(minutes: number): number {
  return Math.round(minutes * 100) / 100;
}

async function runOnce(probe: PreparedProbe, manifest: Manifest, exam: ExamDepth, circumstance: Circumstance): Promise<OneRun> {
  const { windowMs } = tolerancesFor(manifest);
  const clock = createDryClock(circumstance.share * windowMs);
  const target = new DryTarget(manifest, circumstance);
  let costUsd = 0;
  let purchases = 0;
  const answer: DryTarget["answer"] = (request, time) => {
    costUsd += estimateWorstCase(request, manifest.prices).costUsd;
    const { intent, endpoint } = request;
    if (intent.kind === "limit" && intent.policy === "spend" && isPurchase({ ...intent, endpoint })) purchases += 1;
    return target.answer(request, time);
  };
  let phases = 0;
  const inner = createProbeTools(
    {
      manifest,
      sender: createDrySender(answer, clock),
      clock,
      random: createRandom(1),
      exam,
      onProgress: (event) => {
        if (event.kind === "advanced") phases += 1;
      },
      signal: new AbortController().signal,
      journal: { record: () => undefined, complete: () => undefined },
    },
    { windowMs, phases: Number.POSITIVE_INFINITY, longestMinutes: null },
  );
  const quick = new DryRequests(answer, clock);
  const tools = createDryTools(inner, quick);
  await probe.run(tools, { purchases: 0 });
  return { requests: inner.sent.length + quick.count, minutes: clock.nowMs() / 60_000, phases, cents: 100 * costUsd, purchases };
}
