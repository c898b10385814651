import type { Result } from "../../src/core/result/result.ts";

/** The result as it was written before reasons of sends that never left were kept. */
export function olderResult(result: Result): Result {
  if (result.load === null) return result;
  return { ...result, load: { ...result.load, profiles: result.load.profiles.map(({ notSent: _notSent, ...rest }) => rest) } };
}
