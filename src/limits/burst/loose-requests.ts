import type { LimitOp } from "../history/op.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";

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

/** On a virtual clock an answer is stamped only as exactly as time moves: in steps of a second while one is outstanding. */
export async function passTime(tools: ProbeTools, ms: number, loose: readonly LooseRequest[]): Promise<void> {
  const untilMs = tools.clock.nowMs() + ms;
  const pending = (): boolean => loose.some((probe) => !probe.isAnswered());
  while (tools.manifest.control !== null && pending() && untilMs - tools.clock.nowMs() > 1000) {
    await tools.sleep(1000, "within the cooldown");
  }
  await tools.sleep(untilMs - tools.clock.nowMs(), "within the cooldown");
}

/** Lets queued requests out: one more cooldown at most, since fewer were queued than the allowance holds. */
export async function finish(tools: ProbeTools, loose: readonly LooseRequest[], cooldownMs: number): Promise<void> {
  const untilMs = tools.clock.nowMs() + 1.5 * cooldownMs;
  // In real time nothing waits longer than the last answer.
  const isReal = tools.manifest.control === null;
  while (loose.some((one) => !one.isAnswered()) && tools.clock.nowMs() < untilMs) {
    await passTime(tools, isReal ? 1000 : cooldownMs / 2, loose);
    if (!isReal) await settleLoosely(tools, loose);
  }
  await Promise.all(loose.map((probe) => probe.answer));
}
