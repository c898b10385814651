import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ColumnError } from "../../../src/core/columns/column.ts";
import { packRecords } from "../../../src/load/ledger/record-columns.ts";
import { unpackRecords } from "../../../src/load/ledger/unpack-records.ts";
import { notSentRecord } from "../../../src/load/samples/unanswered-record.ts";
import { plainRecord } from "../../make/exchanges/plain-record.ts";
import { drawnRecord, drawnSlo as slo } from "../drawn-record.ts";
import { context } from "../../make/load/exchange-fixture.ts";

const record = drawnRecord(1e7);

describe("record columns", () => {
  it("give back every record to the last bit, derived figures included", () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 30 }), (records) => {
        const kept: unknown = JSON.parse(JSON.stringify(packRecords(records)));
        expect(unpackRecords(kept, records.length, slo).map(plainRecord)).toEqual(JSON.parse(JSON.stringify(records)));
      }),
    );
  });

  it("refuse what was changed in form, and never fail otherwise", () => {
    const names = fc.constantFrom("seq", "outcome", "groups", "groupAt", "headers", "promptTokens", "label", "more");
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), names, fc.jsonValue(), (records, name, value) => {
        const columns = { ...(JSON.parse(JSON.stringify(packRecords(records))) as object), [name]: value };
        try {
          expect(unpackRecords(columns, records.length, slo)).toHaveLength(records.length);
        } catch (error) {
          expect(error).toBeInstanceOf(ColumnError);
        }
      }),
    );
  });

  it("refuse counts of arrivals that no line holds", () => {
    const one = notSentRecord({ ...context, slo }, "budget");
    expect(() => unpackRecords({ ...packRecords([one]), groups: { all: 2e9 } }, 1, slo)).toThrow("groups");
  });
});
