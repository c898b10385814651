import { describe, expect, it } from "vitest";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import { createRecordStore, mostArrivalsOfLine } from "../../../src/load/samples/record-store.ts";
import { context } from "../../make/load/exchange-fixture.ts";

const base = givenUpRecord(context, 1);
/** A stream of so many arrivals; what they were is the same for all. */
const streamOf = (arrivals: number): LoadRecord => ({
  ...base,
  arrivals,
  groups: Array.from({ length: arrivals }, () => arrival),
});
const arrival = { atMs: 1, events: 1, tokens: null };

describe("arrivals that are kept", () => {
  it("never exceed what a line of the ledger may hold, however much room was saved up by answers that are no streams", () => {
    const store = createRecordStore();
    for (let count = 0; count < 120_000; count += 1) store.add(base);
    const stream = streamOf(350_000);
    for (let count = 0; count < 10; count += 1) store.add(stream);
    const kept = store.records.slice(120_000).reduce((sum, { groups }) => sum + groups.length, 0);
    expect(kept).toBeGreaterThan(350_000 - 1);
    expect(kept).toBeLessThan(mostArrivalsOfLine);
  });

  it("of a stream that would fill a line alone are the first, which reports the time per output token", () => {
    const store = createRecordStore();
    store.add(streamOf(mostArrivalsOfLine / 2));
    store.add(streamOf(3));
    expect(store.records.map(({ groups }) => groups.length)).toEqual([1, 3]);
  });
});
