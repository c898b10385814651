import type { Exchange } from "../../core/exchange/exchange.ts";

/** Exchanges of load that are kept as evidence: so many at first, then so many of those that went wrong. */
export interface LoadSample {
  readonly first: number;
  readonly failed: number;
}

/** Says of one exchange after the other whether it is kept. */
export function createLoadSampler(sample: LoadSample): (exchange: Exchange) => boolean {
  let { first, failed } = sample;
  return ({ response }) => {
    if (first > 0) {
      first -= 1;
      return true;
    }
    const troubled = response === null || response.status >= 400;
    if (!troubled || failed === 0) return false;
    failed -= 1;
    return true;
  };
}

/** The sample that each of so many workers keeps, so that all of them keep no less than one would. */
export function sampleOfEach({ first, failed }: LoadSample, workers: number): LoadSample {
  return { first: Math.ceil(first / workers), failed: Math.ceil(failed / workers) };
}
