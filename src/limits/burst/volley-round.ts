import type { RoundPhase, RoundSuffix } from "../../core/exchange/round-phase.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { type BurstExamSubject, burstSettingsOfExam, probeOf, waysIn, withinRound } from "./burst-requests.ts";
import { heldMs } from "./held-ms.ts";
import { finish, type LooseRequest, passTime, sendLoosely, settleLoosely } from "./loose-requests.ts";

interface VolleyRound {
  readonly suffix: RoundSuffix;
  /** Whether what was sent so far leaves open that more was served than the allowance. */
  readonly isOpen: () => boolean;
  /** The requests that were sent in the place of the volley, and when. Absent: the round begins with it. */
  readonly opening?: { readonly sent: readonly LooseRequest[]; readonly startMs: number };
}

export interface VolleyEnd {
  /** Until when a last cooldown may run; null: none was begun that is not over. */
  readonly coolsUntilMs: number | null;
  /** Whether the last visit was served and used the first request of an allowance that is whole but for it. */
  readonly isWhole: boolean;
}

/** More than the allowance at once, visits in the cooldown and after it. */
export async function volleyRound(
  tools: ProbeTools,
  subject: BurstExamSubject,
  { suffix, isOpen, opening }: VolleyRound,
): Promise<VolleyEnd> {
  const cooldownMs = burstSettingsOfExam.cooldown_seconds * 1000;
  const startMs = opening?.startMs ?? tools.clock.nowMs();
  const phase = (name: RoundPhase): ExamRequest => probeOf(tools, subject, `${name}${suffix}`);
  const after = phase("after");
  const isOfQueue = opening?.sent.some((one) => !one.isAnswered()) === true;
  const loose = [...(opening?.sent ?? [sendLoosely(tools, phase("volley"), burstSettingsOfExam.burst_limit + 3)])];
  await settleLoosely(tools, loose);
  const visits: readonly (readonly [atMs: number, probe: ExamRequest])[] = [
    [0.2 * cooldownMs, phase("cooldown")],
    [0.3 * cooldownMs, { ...phase("cooldown"), ...subject.other }],
    [0.45 * cooldownMs, phase("cooldown")],
    ...waysIn(tools, phase("cooldown")).map((probe, index) => [(0.6 + 0.05 * index) * cooldownMs, probe] as const),
    // Later than a cooldown that is two seconds short ends, earlier than one on a clock of whole seconds may.
    [cooldownMs - 1800, phase("cooldown")],
    [1.1 * cooldownMs + 1500, after],
  ];
  for (const [atMs, probe] of visits) {
    await passTime(tools, startMs + atMs - tools.clock.nowMs(), loose);
    // A request that is held when the cooldown must be over says that it is not: one more would only be held as well. So would one that
    // comes when a queue has let out as many as fit.
    if (probe.phase === after.phase && (loose.some((one) => !one.isAnswered()) || isOfQueue)) break;
    const sent = sendLoosely(tools, withinRound(tools, probe, startMs), 1);
    loose.push(sent);
    await settleLoosely(tools, [sent]);
    if (probe.endpoint === subject.other.endpoint && subject.otherKey !== null) {
      await tools.send({ ...probeOf(tools, subject, "other-key"), key: subject.otherKey });
    }
  }
  const answers = (await Promise.all(loose.filter((one) => one.isAnswered()).map(({ answer }) => answer))).flat();
  const areAnswered = loose.every((one) => one.isAnswered());
  const holds = !areAnswered || answers.some((op) => heldMs(op) > cooldownMs / 4);
  const isLimitedAgain = subject.rounds === "queue" || subject.rounds === "thorough";
  // If the service refuses, the next minute must be limited like the first. That minute is another instant of the minute as well: no
  // minute of the clock explains both. A queue would hold this volley for a whole cooldown.
  const refuses = areAnswered && answers.some(({ outcome }) => outcome === "rejected");
  const second: LooseRequest[] = [];
  const secondMs = tools.clock.nowMs();
  if ((isLimitedAgain && refuses) || (!holds && isOpen())) {
    second.push(sendLoosely(tools, phase("second"), burstSettingsOfExam.burst_limit + 3));
    await settleLoosely(tools, second);
  }
  await finish(tools, [...loose, ...second], cooldownMs);
  if (second.length > 0) return { coolsUntilMs: secondMs + 1.1 * cooldownMs + 1500, isWhole: false };
  if (isOpen()) return { coolsUntilMs: await confirmInQueue(tools, phase("second")), isWhole: false };
  const last = answers.at(-1);
  return { coolsUntilMs: null, isWhole: !holds && last?.phase === after.phase && last.outcome === "admitted" };
}

/** A correct queue would hold one of these, a service that serves too many serves all. */
export async function confirmInQueue(tools: ProbeTools, probe: ExamRequest): Promise<number> {
  const { burst_limit: burst, cooldown_seconds } = burstSettingsOfExam;
  await tools.sleep(untilWholeMs(tools), "the allowance is whole again");
  const secondMs = tools.clock.nowMs();
  const second = sendLoosely(tools, probe, burst + 1);
  await settleLoosely(tools, [second]);
  await finish(tools, [second], cooldown_seconds * 1000);
  return secondMs + 1.1 * cooldown_seconds * 1000 + 1500;
}

/** After so long without requests the minute and the cooldown of those before are over, but for a minute that fades. */
function untilWholeMs(tools: ProbeTools): number {
  return 1.05 * Math.max(tools.windowMs, burstSettingsOfExam.cooldown_seconds * 1000) + 1500;
}
