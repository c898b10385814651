import type { LimitOp } from "../history/op.ts";
import type { Probe, ProbeTools } from "./probe-tools.ts";

/** A request that may be held back by the service: sent, but not waited for. */
export interface LooseProbe {
  readonly answer: Promise<readonly LimitOp[]>;
  isAnswered(): boolean;
}

/** Requests that a queue may hold for the length of a cooldown. */
export function sendLoosely(tools: ProbeTools, probe: Probe, count: number): LooseProbe {
  let answered = false;
  const answer = (count === 1 ? tools.send(probe).then((op) => [op]) : tools.burst(probe, count)).then((ops) => {
    answered = true;
    return ops;
  });
  // Whoever ends the schedule early must not leave a rejection unhandled; the answer itself still rejects.
  answer.catch(() => undefined);
  return { answer, isAnswered: () => answered };
}

/**
 * Gives an answer the time it needs without a queue. On a virtual clock nothing may sleep while it is on its way: round
 * trips without a key pass the time instead.
 */
export async function settleLoosely(tools: ProbeTools, probes: readonly LooseProbe[]): Promise<void> {
  const pending = (): readonly LooseProbe[] => probes.filter((probe) => !probe.isAnswered());
  if (tools.manifest.control !== null) {
    for (let count = 0; count < 12 && pending().length > 0; count += 1) await tools.tick();
    return;
  }
  for (let count = 0; count < 10 && pending().length > 0; count += 1) {
    await Promise.race([Promise.all(pending().map((probe) => probe.answer)), tools.clock.sleep(200, tools.signal)]);
  }
}
