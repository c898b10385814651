import type { Clock } from "../core/clock.ts";
import type { Exchange } from "../core/exchange/exchange.ts";
import type { InstrumentAccuracy } from "../core/result/generator-health.ts";
import type { LoadProfileResult } from "../core/result/load-result.ts";
import type { Manifest } from "../core/manifest.ts";
import type { OnProgress } from "../core/progress.ts";
import { createRandom } from "../core/random.ts";
import { worstCaseOfSend } from "./plan/worst-case.ts";
import { createBudget, type Budget } from "../wire/budget/budget.ts";
import { crossCheckWithAutocannon } from "./generator/cross-check.ts";
import type { LoadWorkers } from "./workers/load-workers.ts";
import type { LoadProfile } from "./profile/load-profile.ts";
import type { EarlyEnd } from "./samples/early-end.ts";
import type { LoadSender } from "./send/load-sender.ts";
import { measureShare } from "./workers/measure-share.ts";
import { judgeProfile, type WatchedFigures } from "./judge/judge-profile.ts";
import type { AuditedAnswer, MeasuredLine, ProfileLine, WrittenProfile } from "./ledger/ledger-line.ts";
import { writeLine, type LedgerSink } from "./ledger/record-log.ts";
import { type LoadPlan, planLoad } from "./plan/plan-load.ts";
import { loadKeyName } from "./profile/load-key-name.ts";
import { describeBlockers } from "./profile/blocker.ts";
import { permittedRps, profileBlockers } from "./plan/profile-blockers.ts";
import { createPacedSender } from "./send/paced-sender.ts";
import { allocateRateAllowance } from "./send/rate-allowance.ts";
import type { TraceEntry } from "./arrivals/traces/trace-entry.ts";
import { wholeProfile } from "./arrivals/share.ts";
import { startLeadMs } from "./send/pacer.ts";
import { openUsageWatch, sumTokens } from "./judge/usage-check.ts";
import { noPlan, createWorkload, type Workload } from "./workload/workload.ts";

export interface RunLoadInput extends Partial<InstrumentAccuracy> {
  readonly profile: LoadProfile;
  readonly manifest: Manifest;
  readonly sender: LoadSender;
  readonly clock: Clock;
  readonly seed: number;
  readonly onProgress?: OnProgress;
  /** Every exchange as it ends, for evidence, passive validation and the limit monitor. Must be quick. */
  readonly onExchange?: (exchange: Exchange) => void;
  readonly signal?: AbortSignal;
  /** The clock is virtual and its sleeps move it: time stands still for it while answers are under way. */
  readonly virtualTime?: boolean;
  readonly trace?: readonly TraceEntry[] | null;
  /** As it was shown before; default: made here, it is the same for the same seed. */
  readonly plan?: LoadPlan;
  /** Several workers that send the profile together, each with a sender of its own; `sender` then does the housekeeping only. */
  readonly workers?: LoadWorkers | null;
  /** Of the run, for what does not go through the sender; default: one of its own, by the manifest. */
  readonly budget?: Pick<Budget, "reserveMany">;
  /**
   * The sends a second that the target permits, shared by profiles that follow each other; default: one of its own, by the
   * manifest.
   */
  readonly allowance?: SharedArrayBuffer | null;
  /** The accuracy of this machine where it is not known before the load; called once, when all was measured. */
  readonly recalibrate?: () => Promise<InstrumentAccuracy>;
  /** Called when nothing more is sent of the load but repeats. */
  readonly onSent?: () => void;
  /** Ends what goes on beside the load; called once, when its last answer has come. */
  readonly endBeside?: () => Promise<void>;
  /** The figures of the limit monitor on this profile's history; asked once, after the last answer. */
  readonly watched?: () => WatchedFigures;
  /** Times of connections that were opened before the load. */
  readonly roundTripsMs?: readonly number[];
  /** Answers to the same prompts, asked again; absent: the profile asks for none. */
  readonly cacheAudit?: readonly AuditedAnswer[];
  /** Everything that the result follows from is handed over here, too. */
  readonly ledger?: LedgerSink;
  /** Seconds in which the generator was late are sent again at the end; default: no, exactly the plan is sent. */
  readonly repeatsLate?: boolean;
  /** Records that are kept where one worker sends; default: `mostRecords`. */
  readonly mostRecords?: number;
}

/**
 * Runs one profile from warm-up to verdict. Throws RangeError when the manifest does not permit or cannot serve the profile
 * (`profileBlockers` says so beforehand). Never rejects for what the target does.
 */
export async function runLoadProfile(input: RunLoadInput): Promise<LoadProfileResult> {
  const { manifest, clock } = input;
  const profile = { ...input.profile, key: loadKeyName(input.profile.key, manifest) };
  const { seed, trace = null, plan = planLoad({ profile, manifest, seed, trace }) } = input;
  const blockers = profileBlockers(profile, manifest, plan);
  if (blockers.length > 0) throw new RangeError(`profile ${profile.id} cannot run: ${describeBlockers(blockers).join("; ")}`);
  const random = createRandom(input.seed).fork(profile.id);
  const workload = createWorkload(profile.workload, { manifest, keyName: profile.key, random, wallMs: () => clock.wallMs() });
  const { workers = null, signal = new AbortController().signal, onProgress = () => {}, onExchange = () => {} } = input;
  const { sender, allowance = allocateRateAllowance(permittedRps(manifest)) } = input;
  const usageWatch = await openUsageWatch(
    createPacedSender({ sender, allowance, clock, scheduled: false, stopped: () => signal }),
    profile,
    clock,
  );
  const { ledger } = input;
  const header: ProfileLine = {
    kind: "profile",
    profile: writeProfile(profile),
    workload: plan.workload,
    seed: input.seed,
    virtualTime: input.virtualTime ?? false,
    loops: workers?.count ?? null,
  };
  if (ledger !== undefined) writeLine(ledger, header);
  const shares =
    workers === null
      ? [
          await measureShare({
            ...input,
            allowance,
            profile,
            plan,
            share: wholeProfile,
            startAt: () => clock.nowMs() + startLeadMs,
            signal,
            onProgress,
            onExchange,
            ...(input.repeatsLate === true && { affords: (requests: number) => isAffordable(input, profile, requests) }),
          }),
        ]
      : await workers.measure({
          profile,
          allowance,
          manifest,
          clock,
          seed: input.seed,
          trace,
          signal,
          onProgress,
          ...(input.onSent === undefined ? {} : { onSent: input.onSent }),
          ...(ledger === undefined ? {} : { ledger }),
        });
  await input.endBeside?.();
  const stopReason = shares.find((share) => share.stopReason !== null)?.stopReason ?? null;
  const reportedTokens =
    usageWatch === null || stopReason?.kind === "interrupted" ? undefined : await usageWatch.close(sumTokens(shares));
  const crossCheck = await (profile.engine === "autocannon" ? runCrossCheck(input, profile, workload, stopReason) : undefined);
  const end: MeasuredLine = {
    kind: "measured",
    ...(reportedTokens === undefined ? {} : { reportedTokens }),
    ...(input.roundTripsMs === undefined ? {} : { roundTripsMs: input.roundTripsMs }),
    ...(input.cacheAudit === undefined ? {} : { cacheAudit: input.cacheAudit }),
    ...(crossCheck === undefined ? {} : { crossCheck }),
    ...(workers?.agents === undefined ? {} : { agents: workers.agents() }),
  };
  if (ledger !== undefined) writeLine(ledger, end);
  const accuracy = await findAccuracy(input);
  return judgeProfile({ header, gates: profile.gates, shares, end, watched: input.watched?.() ?? null, ...accuracy });
}

async function findAccuracy({ calibration = null, uncalibrated, recalibrate }: RunLoadInput): Promise<InstrumentAccuracy> {
  if (uncalibrated === undefined) return { calibration };
  return (await recalibrate?.()) ?? { calibration, uncalibrated };
}

/** Whether the budget holds so many more requests at their worst; nothing of it is kept. */
function isAffordable({ manifest, budget }: RunLoadInput, profile: LoadProfile, requests: number): boolean {
  if (budget === undefined) return true;
  const held = budget.reserveMany(requests, worstCaseOfSend(profile.workload, manifest, noPlan));
  held.settle(0);
  return held.requests >= requests;
}

/** The same closed loop by a second tool; it is not run after a profile that ended early. */
async function runCrossCheck(
  { manifest, budget = createBudget(manifest), signal = new AbortController().signal }: RunLoadInput,
  profile: LoadProfile,
  workload: Workload,
  stopReason: EarlyEnd | null,
): Promise<MeasuredLine["crossCheck"]> {
  if (stopReason !== null) return { skipped: `the profile ended early: ${stopReason.words}` };
  return crossCheckWithAutocannon({
    profile,
    manifest,
    request: workload.request(0, noPlan),
    budget,
    signal,
  });
}

/** Without datasets: they may be large, are their owner's, and nothing that is judged depends on them. */
function writeProfile(profile: LoadProfile): WrittenProfile {
  const workload = profile.workload.map((item) => ("prompts" in item ? { ...item, prompts: null } : item));
  return { ...profile, workload, gates: profile.gates.map(({ expression }) => expression) };
}
