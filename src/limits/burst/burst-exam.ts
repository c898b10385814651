import type { LimitOp } from "../history/op.ts";
import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { RoundPhase, RoundSuffix } from "../../core/exchange/round-phase.ts";
import type { EndpointId } from "../../core/exchange/endpoint.ts";
import { cheapBody } from "../probe/cheap-request.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { afterWaitMs } from "../probe/schedule-steps.ts";
import { withSettings } from "../probe/settings.ts";

export interface BurstExamSubject {
  readonly key: string;
  /** Must be served while `key` cools down; null when the manifest has none. */
  readonly otherKey: string | null;
  readonly other: { readonly endpoint: EndpointId; readonly path: string };
  /**
   * `one-volley`: used up at once. `volley`: that twice. `both`: one by one, and at once by what finds the cooldown over. `thorough`: each with an allowance that
   * is whole again, a second volley, and two minutes below the allowance.
   */
  readonly rounds: "one-volley" | "volley" | "both" | "thorough";
}

/** Requests per minute and seconds of cooldown that the exam sets. A cooldown longer than the minute leaves no other reason to refuse. */
export const burstSettingsOfExam = { burst_limit: 10, cooldown_seconds: 65 } as const;

/**
 * Small allowance by PATCH, used up at once; probes within the cooldown, after it, and on what must not notice. Answers may
 * be held back until the cooldown is over, so that nothing is waited for where a queue might hold it.
 */
export async function runBurstExam(tools: ProbeTools, subject: BurstExamSubject): Promise<void> {
  await withSettings(tools, `key:${subject.key}`, ["burst_limit", "cooldown_seconds"], async ({ change, changeAtOnce }) => {
    tools.enter("burst: settings");
    const { burst_limit, cooldown_seconds } = burstSettingsOfExam;
    // Neither of two changes that are sent at once may be lost. The later one is the less likely to be, so that the burst limit, without
    // which there is nothing to judge, comes last. The short exam does not take that risk.
    if (subject.rounds === "thorough") await changeAtOnce([{ cooldown_seconds }, { burst_limit }]);
    else await change(burstSettingsOfExam);
    await tools.sleep(tools.manifest.propagationSeconds * 1000 + 500, "settings take effect");
    tools.enter("burst: volley and cooldown");
    if (subject.rounds === "both") {
      await confirmedRound(tools, async (suffix) => {
        const { isExceeded, resumed } = await sequentialRound(tools, subject, suffix);
        if (resumed === "not") return isExceeded;
        // Requests that a queue let out used part of the next allowance: how much is known only once that is whole again.
        if (resumed === "from a queue") await tools.sleep(2 * tools.windowMs + 5000, "the allowance is whole again");
        tools.enter("burst: volley and cooldown");
        return (await volleyRound(tools, subject, suffix)) || isExceeded;
      });
      return;
    }
    await confirmedRound(tools, (suffix) => volleyRound(tools, subject, suffix));
    if (subject.rounds !== "thorough") return;
    tools.enter("burst: one by one");
    await tools.sleep(2 * tools.windowMs + 5000, "the allowance is whole again");
    await change({ cooldown_seconds: burstSettingsOfExam.cooldown_seconds });
    await tools.sleep(tools.manifest.propagationSeconds * 1000 + 500, "settings take effect");
    await confirmedRound(tools, async (suffix) => (await sequentialRound(tools, subject, suffix)).isExceeded);
    tools.enter("burst: below the allowance");
    await tools.sleep(2 * tools.windowMs + 5000, "the allowance is whole again");
    await belowRound(tools, subject);
  });
}

type Phase = LimitPhases["burst"];

/**
 * A round shows whether more was served than the allowance. A minute of the clock that began meanwhile may explain that: the
 * round is then held once more, at another instant of the minute.
 */
async function confirmedRound(tools: ProbeTools, round: (suffix: RoundSuffix) => Promise<boolean>): Promise<void> {
  const startMs = tools.clock.nowMs();
  if (!(await round(""))) return;
  tools.enter("burst: once more, at another instant of the minute");
  await tools.sleep(2 * tools.windowMs + 5000, "the allowance is whole again");
  const phaseMs = (tools.clock.nowMs() - startMs) % tools.windowMs;
  await tools.sleep((1.4 * tools.windowMs - phaseMs) % tools.windowMs, "another instant of the minute");
  await round("-again");
}

function probeOf(tools: ProbeTools, subject: BurstExamSubject, phase: Phase): ExamRequest {
  // Time limits are real time: on a virtual clock a cooldown passes in moments.
  const waitMs = tools.manifest.control === null ? (burstSettingsOfExam.cooldown_seconds * 2.5 + 10) * 1000 : 12_000;
  return { policy: "burst", phase, key: subject.key, endpoint: "models", timeoutMs: waitMs, timedByInstant: true };
}

async function volleyRound(tools: ProbeTools, subject: BurstExamSubject, suffix: RoundSuffix): Promise<boolean> {
  const cooldownMs = burstSettingsOfExam.cooldown_seconds * 1000;
  const startMs = tools.clock.nowMs();
  const phase = (name: RoundPhase): ExamRequest => probeOf(tools, subject, `${name}${suffix}`);
  const loose: LooseRequest[] = [sendLoosely(tools, phase("volley"), burstSettingsOfExam.burst_limit + 3)];
  await settleLoosely(tools, loose);
  const visits: readonly (readonly [atMs: number, probe: ExamRequest])[] = [
    [0.2 * cooldownMs, phase("cooldown")],
    [0.3 * cooldownMs, { ...phase("cooldown"), ...subject.other }],
    [0.45 * cooldownMs, phase("cooldown")],
    ...waysIn(tools, phase("cooldown")).map((probe, index) => [(0.6 + 0.05 * index) * cooldownMs, probe] as const),
    // Later than a cooldown that is two seconds short ends, earlier than one on a clock of whole seconds may.
    [cooldownMs - 1800, phase("cooldown")],
    [1.1 * cooldownMs + 1500, phase("after")],
  ];
  for (const [atMs, probe] of visits) {
    await passTime(tools, startMs + atMs - tools.clock.nowMs(), loose);
    const sent = sendLoosely(tools, probe, 1);
    loose.push(sent);
    await settleLoosely(tools, [sent]);
    if (probe.endpoint === subject.other.endpoint && subject.otherKey !== null && suffix === "") {
      await tools.send({ ...probeOf(tools, subject, "other-key"), key: subject.otherKey });
    }
  }
  // If the service refuses, the next minute must be limited like the first. A queue would hold this volley for a whole
  // cooldown.
  const refuses = (await Promise.all(loose.filter((one) => one.isAnswered()).map(({ answer }) => answer)))
    .flat()
    .some(({ outcome }) => outcome === "rejected");
  const second: LooseRequest[] = [];
  const secondMs = tools.clock.nowMs();
  if (refuses && (subject.rounds === "volley" || subject.rounds === "thorough") && loose.every((one) => one.isAnswered())) {
    second.push(sendLoosely(tools, phase("second"), burstSettingsOfExam.burst_limit + 3));
    await settleLoosely(tools, second);
  }
  await finish(tools, [...loose, ...second], cooldownMs);
  // The key is left as it was found: its next user must not meet this cooldown.
  if (second.length > 0) await tools.sleep(secondMs + 1.1 * cooldownMs + 1500 - tools.clock.nowMs(), "the second cooldown");
  return (await isExceeded(loose, startMs + cooldownMs)) || isExceeded(second, secondMs + cooldownMs);
}

/**
 * The other endpoints that the manifest names a model for and permits spending on, streams first: the cooldown must close each
 * of them.
 */
function waysIn(tools: ProbeTools, probe: ExamRequest): readonly ExamRequest[] {
  const { manifest } = tools;
  const ways = [["chat", true] as const, ["embeddings", false] as const, ["transcriptions", false] as const];
  const paid = manifest.permissions.spendUpToCents === 0 ? [] : ways;
  const open = paid.flatMap(([endpoint, streamed]): readonly ExamRequest[] => {
    const body = cheapBody(endpoint, manifest, streamed);
    return body === null ? [] : [{ ...probe, endpoint, body }];
  });
  return open.length === 0 ? [probe] : open;
}

async function isExceeded(loose: readonly LooseRequest[], untilMs: number): Promise<boolean> {
  const answers = (await Promise.all(loose.map(({ answer }) => answer))).flat();
  const early = answers.filter((op) => op.outcome === "admitted" && op.headersMs < untilMs - 500);
  return early.length > burstSettingsOfExam.burst_limit;
}

/** On a virtual clock an answer is stamped only as exactly as time moves: in steps of a second while one is outstanding. */
async function passTime(tools: ProbeTools, ms: number, loose: readonly LooseRequest[]): Promise<void> {
  const untilMs = tools.clock.nowMs() + ms;
  const pending = (): boolean => loose.some((probe) => !probe.isAnswered());
  while (tools.manifest.control !== null && pending() && untilMs - tools.clock.nowMs() > 1000) {
    await tools.sleep(1000, "within the cooldown");
  }
  await tools.sleep(untilMs - tools.clock.nowMs(), "within the cooldown");
}

/** Lets queued requests out: one more cooldown at most, since fewer were queued than the allowance holds. */
async function finish(tools: ProbeTools, loose: readonly LooseRequest[], cooldownMs: number): Promise<void> {
  for (let count = 0; count < 3 && loose.some((probe) => !probe.isAnswered()); count += 1) {
    await passTime(tools, cooldownMs / 2, loose);
    await settleLoosely(tools, loose);
  }
  await Promise.all(loose.map((probe) => probe.answer));
}

interface SequentialRound {
  readonly isExceeded: boolean;
  /** Whether the last visit found the cooldown over. */
  readonly resumed: "not" | "after refusals" | "from a queue";
}

/** How long nothing else is sent after a request that is held although the allowance is not used up, ms: more than the judge grants the network. */
const heldBelowMs = 3300;

/** The allowance used up request by request over all endpoints; then nothing is sent until the cooldown must be over. */
async function sequentialRound(tools: ProbeTools, subject: BurstExamSubject, suffix: RoundSuffix): Promise<SequentialRound> {
  const startMs = tools.clock.nowMs();
  const loose: LooseRequest[] = [];
  const { burst_limit: burst } = burstSettingsOfExam;
  // One more than the allowance; where that is served, more than two minutes of the clock could grant.
  for (let count = 0; count < 2 * burst + 3; count += 1) {
    const probe = probeOf(tools, subject, `sequential${suffix}`);
    const sent = sendLoosely(tools, wayInOf(tools, subject, probe, count), 1);
    loose.push(sent);
    await settleLoosely(tools, [sent]);
    // Held below the allowance: what comes so much later did not come before it.
    if (count < burst && !sent.isAnswered()) await passTime(tools, heldBelowMs, loose);
    // A pause that no refill hides in: a cooldown that is counted from the first request ends that much too early.
    if (count === 0) await tools.sleep(4500, "a pause within the allowance");
    if (count >= burst && (!sent.isAnswered() || (await sent.answer)[0]?.outcome !== "admitted")) break;
  }
  const cooldownMs = burstSettingsOfExam.cooldown_seconds * 1000;
  const afterMs = tools.clock.nowMs() + 1.1 * cooldownMs + 1500;
  const isQueue = loose.some((one) => !one.isAnswered());
  const [hinted, after] =
    subject.rounds === "both" ? (["resume-hinted", "resume"] as const) : (["quiet-hinted", "quiet-after"] as const);
  const visit = async (name: typeof hinted | typeof after, atMs: number): Promise<boolean> => {
    await passTime(tools, atMs - tools.clock.nowMs(), loose);
    const sent = sendLoosely(tools, probeOf(tools, subject, `${name}${suffix}`), 1);
    loose.push(sent);
    await settleLoosely(tools, [sent]);
    return sent.isAnswered() && (await sent.answer)[0]?.outcome === "admitted";
  };
  const hintedMs = await hintedReturn(loose.at(-1));
  let isServed = hintedMs !== null && hintedMs < afterMs - 2000 && (await visit(hinted, hintedMs));
  if (!isServed || subject.rounds !== "both") isServed = await visit(after, afterMs);
  await finish(tools, loose, cooldownMs);
  return {
    isExceeded: await isExceeded(loose, startMs + cooldownMs),
    resumed: !isServed ? "not" : isQueue ? "from a queue" : "after refusals",
  };
}

/** The endpoint itself and another one in turn, with one of each other way in between: all of them count. */
function wayInOf(tools: ProbeTools, subject: BurstExamSubject, probe: ExamRequest, count: number): ExamRequest {
  const paid = count === 3 || count === 5 || count === 7 ? waysIn(tools, probe)[(count - 3) / 2] : undefined;
  return paid ?? (count % 2 === 0 ? probe : { ...probe, ...subject.other });
}

/** As much as clocks may run apart in the meantime, and a little more than the judge grants. */
const clockDrift = 0.001;

/** When the refusal of the last request says to return, with the allowance for clocks of several instances; null: it says nothing. */
async function hintedReturn(last: LooseRequest | undefined): Promise<number | null> {
  if (last === undefined || !last.isAnswered()) return null;
  const refused = (await last.answer)[0];
  const seconds = refused?.retry?.seconds ?? null;
  return refused === undefined || seconds === null ? null : refused.headersMs + seconds * 1000 * (1 + clockDrift) + afterWaitMs;
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

/** A request that may be held back by the service: sent, but not waited for. */
export interface LooseRequest {
  readonly answer: Promise<readonly LimitOp[]>;
  isAnswered(): boolean;
}

/** Requests that a queue may hold for the length of a cooldown. */
export function sendLoosely(tools: ProbeTools, probe: ExamRequest, count: number): LooseRequest {
  let answered = false;
  const answer = (count === 1 ? tools.send(probe).then((op) => [op]) : tools.burst(probe, count)).then((ops) => {
    answered = true;
    return ops;
  });
  // A schedule that ends early must not leave a rejection unhandled. `answer` itself still rejects.
  answer.catch(() => undefined);
  return { answer, isAnswered: () => answered };
}

/**
 * Gives an answer the time it needs without a queue. On a virtual clock nothing may sleep while it is on its way: round
 * trips without a key pass the time instead.
 */
export async function settleLoosely(tools: ProbeTools, probes: readonly LooseRequest[]): Promise<void> {
  const pending = (): readonly LooseRequest[] => probes.filter((probe) => !probe.isAnswered());
  if (tools.manifest.control !== null) {
    for (let count = 0; count < 12 && pending().length > 0; count += 1) await tools.tick();
    return;
  }
  for (let count = 0; count < 10 && pending().length > 0; count += 1) {
    await Promise.race([Promise.all(pending().map((probe) => probe.answer)), tools.clock.sleep(200, tools.signal)]);
  }
}
