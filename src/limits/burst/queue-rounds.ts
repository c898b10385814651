import { momentsOf } from "../../core/exchange/moments.ts";
import type { RoundSuffix } from "../../core/exchange/round-phase.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { type BurstExamSubject, burstSettingsOfExam, probeOf } from "./burst-requests.ts";
import { finish, type LooseRequest, passTime, sendLoosely, settleLoosely } from "./loose-requests.ts";
import { confirmInQueue, volleyRound, type VolleyEnd } from "./volley-round.ts";

/** Sent at once, so that they race for the allowance: so many of them are held by a correct service. */
const racing = 3;
/** Sent when it is used up: with those more than the next allowance lets out. */
const heldCount = burstSettingsOfExam.burst_limit - racing + 2;

interface QueueRounds {
  /** Of the round that fills the queue, and of the one that follows. */
  readonly suffixes: readonly [RoundSuffix, RoundSuffix];
  /** Whether what was sent so far leaves open that more was served than the allowance. */
  readonly isOpen: () => boolean;
}

/**
 * More than two allowances, and silence until the queue lets out what fits into the next one: attempts may prolong a cooldown, so
 * that only silence shows when it ends. Then the allowance is used up one by one, with visits in the next cooldown. A key that refuses
 * instead of queueing is visited at once.
 */
export async function queueRounds(
  tools: ProbeTools,
  subject: BurstExamSubject,
  { suffixes: [suffix, nextSuffix], isOpen }: QueueRounds,
): Promise<VolleyEnd> {
  const { burst_limit: burst, cooldown_seconds } = burstSettingsOfExam;
  const cooldownMs = cooldown_seconds * 1000;
  const startMs = tools.clock.nowMs();
  const race = sendLoosely(tools, probeOf(tools, subject, `volley${suffix}`), burst + racing);
  await settleLoosely(tools, [race]);
  if (race.isAnswered()) return volleyRound(tools, subject, { suffix, isOpen, opening: { sent: [race], startMs } });
  const held = sendEach(tools, subject, suffix, heldCount);
  await settleLoosely(tools, held);
  const quiet = [race, ...held];
  const answered = (): number => held.filter((one) => one.isAnswered()).length;
  const wanted = Math.min(held.length, answered() + burst - 1 - racing);
  while (answered() < wanted && tools.clock.nowMs() < startMs + 2.2 * cooldownMs) {
    await passTime(tools, 1000, quiet);
    if (tools.clock.nowMs() > startMs + 1.1 * cooldownMs && isUnwatched(tools)) await tools.tick();
  }
  const againMs = tools.clock.nowMs();
  if (againMs > startMs + 1.5 * cooldownMs) {
    await finish(tools, quiet, cooldownMs);
    return { coolsUntilMs: null, isWhole: false };
  }
  await passTime(tools, 500, quiet);
  if (isOpen()) return { coolsUntilMs: await confirmInQueue(tools, probeOf(tools, subject, `second${suffix}`)), isWhole: false };
  const isBeyond = quiet.every((one) => one.isAnswered());
  const again: LooseRequest[] = [];
  for (let count = 0; count <= burst; count += 1) {
    const [sent] = sendEach(tools, subject, nextSuffix, 1);
    again.push(sent!);
    await settleLoosely(tools, again);
    if (!sent!.isAnswered() || (await sent!.answer)[0]?.outcome !== "admitted") break;
  }
  // More came out than the allowance: whether that happens again shows at another instant of the minute, if more is held than fits.
  if (isBeyond) again.push(...sendEach(tools, subject, nextSuffix, burst - racing));
  const end = await volleyRound(tools, subject, { suffix: nextSuffix, isOpen, opening: { sent: again, startMs: againMs } });
  await finish(tools, quiet, cooldownMs);
  return end;
}

/** So often somebody else asks the service while what it holds is overdue, ms. */
const watchedEachMs = 4000;

/** Whether no request without a key, which no limit holds, was sent for a while: only such a one shows that the whole service stands still. */
function isUnwatched({ sent, clock }: ProbeTools): boolean {
  const last = sent.findLast(({ keyName }) => keyName === null);
  return last === undefined || clock.nowMs() - momentsOf(last).sent.latestMs > watchedEachMs;
}

function sendEach(tools: ProbeTools, subject: BurstExamSubject, suffix: RoundSuffix, count: number): readonly LooseRequest[] {
  return Array.from({ length: count }, () => sendLoosely(tools, probeOf(tools, subject, `volley${suffix}`), 1));
}
