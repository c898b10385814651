import { endpoints } from "../../core/exchange/endpoint.ts";
import { readHistory } from "../history/history.ts";
import { type OpOf, opsOf } from "../history/op.ts";
import { tolerancesFor } from "../history/tolerances.ts";
import type { RoundSuffix } from "../../core/exchange/round-phase.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { type SettingsChanges, withSettings } from "../probe/settings.ts";
import { type BurstExamSubject, burstSettingsOfExam, probeOf } from "./burst-requests.ts";
import { type BurstRound, burstRounds, type BurstTerms } from "./burst-rounds.ts";
import { changeWithinWindow } from "./change-within-window.ts";
import { explainWaits } from "./explain-waits.ts";
import { releaseMs } from "./held-queue.ts";
import { heldMs } from "./held-ms.ts";
import { finish, type LooseRequest, sendLoosely, settleLoosely } from "./loose-requests.ts";
import { readAdmission } from "./read-admission.ts";
import { queueRounds } from "./queue-rounds.ts";
import { type Resumed, sequentialRound } from "./sequential-round.ts";
import { volleyRound } from "./volley-round.ts";

/**
 * Small allowance by PATCH, used up at once; probes within the cooldown, after it, and on what must not notice. Answers may
 * be held back until the cooldown is over, so that nothing is waited for where a queue might hold it.
 */
export async function runBurstExam(tools: ProbeTools, subject: BurstExamSubject): Promise<void> {
  let coolsUntilMs: number | null = null;
  await withSettings(tools, `key:${subject.key}`, ["burst_limit", "cooldown_seconds"], async ({ change, changeAtOnce }) => {
    tools.enter("burst: settings");
    const { burst_limit, cooldown_seconds } = burstSettingsOfExam;
    // Neither of two changes that are sent at once may be lost. The later one is the less likely to be, so that the burst limit, without
    // which there is nothing to judge, comes last. The short exam does not take that risk.
    if (subject.rounds === "thorough") await changeAtOnce([{ cooldown_seconds }, { burst_limit }]);
    else await change(burstSettingsOfExam);
    await tools.sleep(tools.manifest.propagationSeconds * 1000 + 500, "settings take effect");
    const volley = async (suffix: RoundSuffix): Promise<boolean> => {
      tools.enter("burst: volley and cooldown");
      const end = await volleyRound(tools, subject, { suffix, isOpen: () => isOpen(tools, subject, "volley") });
      ({ coolsUntilMs } = end);
      return end.isWhole;
    };
    if (subject.rounds === "queue") {
      tools.enter("burst: queue");
      const fill = async (suffixes: readonly [RoundSuffix, RoundSuffix]): Promise<void> => {
        const end = await queueRounds(tools, subject, { suffixes, isOpen: () => isOpen(tools, subject, "volley") });
        ({ coolsUntilMs } = end);
      };
      await fill(["", "-again"]);
      if (!isStalled(tools, subject, "volley")) return;
      tools.enter("burst: queue, once more");
      await tools.sleep(2 * tools.windowMs + 5000, "the allowance is whole again");
      await fill(["-calm", "-calm-again"]);
      return;
    }
    if (subject.rounds === "both") await bothRounds(tools, subject, volley);
    else await confirmedRound(tools, subject, { kind: "volley", round: volley });
    if (subject.rounds === "thorough") {
      if (coolsUntilMs !== null) await tools.sleep(coolsUntilMs - tools.clock.nowMs(), "the second cooldown");
      coolsUntilMs = null;
      await thoroughRounds(tools, subject, change);
    }
    tools.enter("burst: the allowance raised");
    coolsUntilMs = await changeWithinWindow(tools, subject, change);
  });
  if (coolsUntilMs !== null) await leaveServed(tools, subject.key, coolsUntilMs);
}

async function thoroughRounds(tools: ProbeTools, subject: BurstExamSubject, change: SettingsChanges["change"]): Promise<void> {
  tools.enter("burst: one by one");
  await tools.sleep(2 * tools.windowMs + 5000, "the allowance is whole again");
  await change({ cooldown_seconds: burstSettingsOfExam.cooldown_seconds });
  await tools.sleep(tools.manifest.propagationSeconds * 1000 + 500, "settings take effect");
  await confirmedRound(tools, subject, { kind: "sequential", round: (suffix) => sequentialRound(tools, subject, suffix) });
  tools.enter("burst: below the allowance");
  await tools.sleep(2 * tools.windowMs + 5000, "the allowance is whole again");
  await belowRound(tools, subject);
}

/**
 * The allowance used up one by one, and at once by what finds the cooldown over; `volley` returns whether its own last visit
 * found one over. If a minute of the clock would explain what was served one by one, only the same requests at another instant show
 * whether it does: with their pause, over the same endpoints. They follow what has begun an allowance, if anything has.
 */
async function bothRounds(
  tools: ProbeTools,
  subject: BurstExamSubject,
  volley: (suffix: RoundSuffix) => Promise<boolean>,
): Promise<void> {
  const startMs = tools.clock.nowMs();
  let volleyMs = startMs;
  let isWhole = false;
  const volleyAfter = async (resumed: Resumed): Promise<void> => {
    if (resumed === "not") return;
    // Requests that a queue let out used part of the next allowance: how much is known only once that is whole again.
    if (resumed === "from a queue") await tools.sleep(2 * tools.windowMs + 5000, "the allowance is whole again");
    volleyMs = tools.clock.nowMs();
    isWhole = await volley("");
  };
  tools.enter("burst: one by one");
  const resumed = await sequentialRound(tools, subject, "");
  await volleyAfter(resumed);
  if (isToRepeat(tools, subject, "sequential")) {
    tools.enter("burst: one by one, at another instant of the minute");
    // With a minute of sixty seconds two cooldowns lie well apart from its begin.
    const phase = ((tools.clock.nowMs() - startMs) / tools.windowMs) % 1;
    if (!isWhole || phase < 0.2 || phase > 0.8) await untilAnotherInstant(tools, startMs);
    const again = await sequentialRound(tools, subject, "-again");
    if (resumed === "not") await volleyAfter(again);
  }
  if (!isToRepeat(tools, subject, "volley")) return;
  tools.enter("burst: once more, at another instant of the minute");
  await untilAnotherInstant(tools, volleyMs);
  await volley("-again");
}

/**
 * More may have been served than the allowance in rounds of this kind, and what was sent so far leaves open whether a minute of the clock
 * that began meanwhile explains it: the judge itself is asked, so that nothing is repeated that it has proof of.
 */
function isOpen(tools: ProbeTools, subject: BurstExamSubject, kind: BurstRound["kind"]): boolean {
  const { rounds, terms } = readRounds(tools, subject);
  const admission = readAdmission(rounds, terms);
  return admission.kind === "open" && admission.kinds.has(kind);
}

/**
 * A request of a round of this kind, or one of the other key beside it, waited for so long that it may have been held back, and a stall of
 * the whole service or of the instrument explains it: the round shows nothing of that.
 */
function isStalled(tools: ProbeTools, subject: BurstExamSubject, kind: BurstRound["kind"]): boolean {
  const { ops, rounds, terms } = readRounds(tools, subject);
  const own = rounds.filter((round) => round.kind === kind);
  const beside = kind === "volley" ? ops.filter((op) => op.key !== subject.key && op.phase === "other-key") : [];
  const isExplained = explainWaits(tools.sent);
  const longestMs = Math.max(terms.cooldownMs, terms.tolerances.windowMs) * 1.05 + releaseMs;
  return [...own.flatMap((round) => round.ops), ...beside].some(
    (op) =>
      op.outcome === "admitted" &&
      heldMs(op) > terms.cooldownMs / 4 &&
      isExplained(op, heldMs(op) > longestMs ? op.sentMs + longestMs : undefined),
  );
}

/** Whether a round of this kind is held once more, because the one before left something open. */
function isToRepeat(tools: ProbeTools, subject: BurstExamSubject, kind: BurstRound["kind"]): boolean {
  return isOpen(tools, subject, kind) || isStalled(tools, subject, kind);
}

/** All requests of the exam so far, and the rounds of its key among them. */
function readRounds(
  tools: ProbeTools,
  { key }: BurstExamSubject,
): { readonly ops: readonly OpOf<"burst">[]; readonly rounds: readonly BurstRound[]; readonly terms: BurstTerms } {
  const { burst_limit: burst, cooldown_seconds } = burstSettingsOfExam;
  const tolerances = tolerancesFor(tools.manifest);
  const terms = { burst, cooldownMs: cooldown_seconds * 1000, tolerances };
  const ops = opsOf(readHistory(tools.sent, tolerances).ops, "burst");
  const own = ops.filter((op) => op.key === key);
  return { ops, rounds: burstRounds(own, terms), terms };
}

/**
 * A round that leaves open whether more was served than the allowance, or that a stall fell into, is held once more, at another instant of
 * the minute.
 */
async function confirmedRound(
  tools: ProbeTools,
  subject: BurstExamSubject,
  { kind, round }: { readonly kind: BurstRound["kind"]; readonly round: (suffix: RoundSuffix) => Promise<unknown> },
): Promise<void> {
  const startMs = tools.clock.nowMs();
  await round("");
  if (!isToRepeat(tools, subject, kind)) return;
  tools.enter("burst: once more, at another instant of the minute");
  await untilAnotherInstant(tools, startMs);
  await round("-again");
}

/** Until the allowance is whole again, and a good part of a minute after the instant of the minute at which a round began. */
async function untilAnotherInstant(tools: ProbeTools, startMs: number): Promise<void> {
  await tools.sleep(2 * tools.windowMs + 5000, "the allowance is whole again");
  const phaseMs = (tools.clock.nowMs() - startMs) % tools.windowMs;
  await tools.sleep((1.4 * tools.windowMs - phaseMs) % tools.windowMs, "another instant of the minute");
}

/** One less than the allowance, twice, a minute apart: no cooldown is due. */
async function belowRound(tools: ProbeTools, subject: BurstExamSubject): Promise<void> {
  const loose: LooseRequest[] = [];
  for (const phase of ["below-1", "below-2"] as const) {
    for (let count = 0; count < burstSettingsOfExam.burst_limit - 1; count += 1) {
      const sent = sendLoosely(tools, probeOf(tools, subject, phase), 1);
      loose.push(sent);
      await settleLoosely(tools, [sent]);
    }
    if (phase === "below-1") await tools.sleep(tools.windowMs + 1500, "the next minute");
  }
  await finish(tools, loose, burstSettingsOfExam.cooldown_seconds * 1000);
}

/**
 * The key is left as it was found: its next user must not meet a cooldown of this exam. Settings that are put back end it on many
 * services; where they do not, the rest of it is waited for.
 */
async function leaveServed(tools: ProbeTools, key: string, coolsUntilMs: number): Promise<void> {
  const { method, path } = endpoints.models;
  const look = await tools.sendExchange({
    stage: "limits",
    caseId: "limits/burst",
    label: "served as before",
    intent: { kind: "housekeeping", purpose: "the settings are back: is the key served?", answers: ["2xx", 429, "queued"] },
    endpoint: "models",
    method,
    path,
    credential: { kind: "bearer", key },
    timeoutMs: 10_000,
    totalTimeoutMs: 10_000,
    signal: tools.signal,
  });
  const status = look.response?.status ?? 0;
  if (status < 200 || status > 299) await tools.sleep(coolsUntilMs - tools.clock.nowMs(), "the second cooldown");
}
