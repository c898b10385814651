import { array, assert, integer, property, record, shuffledSubarray, type Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { findCounterViolation, type CounterOp } from "../../../src/limits/identify/counter.ts";

/** Histories of up to five requests with distinct instants and readings in range. */
const histories: Arbitrary<readonly CounterOp[]> = integer({ min: 1, max: 5 })
  .chain((count) =>
    record({
      instants: shuffledSubarray(
        Array.from({ length: 2 * count }, (_, index) => index),
        { minLength: 2 * count },
      ),
      used: array(integer({ min: 1, max: count }), { minLength: count, maxLength: count }),
    }),
  )
  .map(({ instants, used }) =>
    used.map((value, index) => {
      const [a = 0, b = 0] = [instants[2 * index], instants[2 * index + 1]];
      return { sentMs: Math.min(a, b), headersMs: Math.max(a, b), used: value };
    }),
  );

function permutations(count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  return permutations(count - 1).flatMap((rest) =>
    Array.from({ length: count }, (_, at) => [...rest.slice(0, at), count - 1, ...rest.slice(at)]),
  );
}

/** Whether decrements in this order have instants within their requests such that slot k comes before every reader of k ends. */
function isFeasible(order: readonly number[], ops: readonly CounterOp[]): boolean {
  let instant = Number.NEGATIVE_INFINITY;
  return order.every((index, position) => {
    const op = ops[index]!;
    const slot = position + 1;
    instant = Math.max(instant, op.sentMs);
    if (op.used < slot) return false;
    return instant <= op.headersMs && ops.every((reader) => reader.used !== slot || instant <= reader.headersMs);
  });
}

describe("counter linearizability against exhaustive search", () => {
  it("R2 finds a violation exactly where no order of decrements explains the late reads", () => {
    assert(
      property(histories, (ops) => {
        const possible = permutations(ops.length).some((order) => isFeasible(order, ops));
        expect(findCounterViolation(ops, 0) === null).toBe(possible);
      }),
      { numRuns: 3000 },
    );
  });

  it("evidence of a lost update satisfies Hall's condition by itself", () => {
    assert(
      property(histories, (ops) => {
        const found = findCounterViolation(ops, Number.POSITIVE_INFINITY);
        if (found?.kind !== "lost") return;
        expect(found.members.length).toBeGreaterThan(found.high - found.low);
        for (const member of found.members) {
          const op = ops[member]!;
          const after = found.low === 0 || ops.some((reader) => reader.used >= found.low && reader.headersMs < op.sentMs);
          const before = op.used <= found.high || ops.some((reader) => reader.used <= found.high && reader.sentMs > op.headersMs);
          expect(after && before).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
