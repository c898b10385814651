import type { LoadProfileResult } from "../../../core/result/load-result.ts";

export interface TurnsInput {
  /** Pairs of measurements; 4 and more, so that slow drift of machine and network falls on both sides alike. */
  readonly rounds: number;
  /** Runs the profile once against one side; equal rounds must get equal seeds on both sides. */
  run(side: "base" | "next", round: number): Promise<LoadProfileResult>;
  readonly signal?: AbortSignal;
}

export interface TurnsResult {
  readonly base: readonly LoadProfileResult[];
  readonly next: readonly LoadProfileResult[];
}

/** Measures two targets in turns: A B, B A, A B ... Only whole pairs are kept when the signal ends it. */
export async function takeTurns(input: TurnsInput): Promise<TurnsResult> {
  const base: LoadProfileResult[] = [];
  const next: LoadProfileResult[] = [];
  const stopped = (): boolean => input.signal?.aborted ?? false;
  for (let round = 0; round < input.rounds && !stopped(); round += 1) {
    const baseFirst = round % 2 === 0;
    const first = await input.run(baseFirst ? "base" : "next", round);
    const second = await input.run(baseFirst ? "next" : "base", round);
    if (stopped()) break;
    base.push(baseFirst ? first : second);
    next.push(baseFirst ? second : first);
  }
  return { base, next };
}
