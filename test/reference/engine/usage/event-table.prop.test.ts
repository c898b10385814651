import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UsageEvent } from "../../../../src/reference/engine/usage/usage-event.ts";
import { runsOf } from "../../../make/runner/sample.ts";
import { createEventTable } from "../../../../src/reference/engine/usage/usage-store.ts";

const events: fc.Arbitrary<UsageEvent> = fc.record({
  atMs: fc.integer({ min: 0, max: 4e12 }),
  account: fc.constantFrom("acct_a", "acct_b"),
  keyId: fc.constantFrom("key_1", "key_2", "key_3"),
  endpoint: fc.constantFrom("chat", "embeddings", "images"),
  streaming: fc.boolean(),
  aborted: fc.boolean(),
  items: fc.integer({ min: 1, max: 2048 }),
  promptTokens: fc.nat(),
  completionTokens: fc.nat(),
  costMicros: fc.maxSafeNat(),
});

describe("event table", () => {
  it("returns what was put in, in order, also after it has grown", () => {
    fc.assert(
      fc.property(fc.array(events, { minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 300 }), (some, repeats) => {
        const all = Array.from({ length: repeats }, () => some).flat();
        const table = createEventTable(all.slice(0, 3));
        for (const event of all.slice(3)) table.push(event);
        expect(table.size).toBe(all.length);
        expect(Array.from({ length: table.size }, (_, row) => table.at(row))).toEqual(all);
      }),
      { numRuns: runsOf(30) },
    );
  });
});
