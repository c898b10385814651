import { describe, expect, it } from "vitest";
import { readSettingChanges } from "../../../src/limits/history/burst-settings.ts";
import { readHistory } from "../../../src/limits/history/history.ts";
import { boundPrice } from "../../../src/limits/history/price-bounds.ts";
import { spendFactsOf, viewSpend } from "../../../src/limits/history/spend-view.ts";
import { tolerancesFor } from "../../../src/limits/history/tolerances.ts";
import { checkCapIsolation } from "../../../src/limits/spend/spend-checks.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { examineSwitch, recordSwitch } from "../sockets/examine-switch.ts";

/** How fresh a usage report is, nobody promises (AMB-35): what it leaves out must not be taken for what was not spent. */
describe("a usage report that lags", () => {
  // Begins of the exam in whose first seconds a new report is due, so that a price can be measured.
  it.each([2, 3, 5, 7])("by up to twenty seconds accuses no cap, and the caps are judged (seed %i)", async (seed) => {
    const { result, findings } = await examineSwitch("spend", null, { seed, variants: ["usage/report-in-steps"] });
    expect(findings).toEqual([]);
    expect(result.policies.map(({ kind, verdict }) => [kind, verdict])).toContainEqual(["key-cap", "pass"]);
  });

  it("whose price has no upper bound accuses no cap of counting what another key spent", async () => {
    const { exchanges, manifest } = await recordSwitch("spend", findSwitch("spend/raising-ignored"));
    const bySeq = new Map(exchanges.map((exchange) => [exchange.seq, exchange]));
    const { ops } = readHistory(exchanges, tolerancesFor(manifest));
    const view = viewSpend({ ops }, bySeq, readSettingChanges(exchanges, manifest), 0)!;
    const facts = spendFactsOf(view, null);
    expect(checkCapIsolation(view, facts).verdict).toBe("fail");
    const open = { ...facts, price: { ...facts.price, highCents: Number.POSITIVE_INFINITY } };
    expect(checkCapIsolation(view, open).verdict).not.toBe("fail");
  });

  it("in fractions of a cent gives a price although their last digits differ", () => {
    const bought = (count: number, sentMs: number): readonly Parameters<typeof boundPrice>[1][number][] =>
      Array.from({ length: count }, () => ({
        sentMs,
        endMs: sentMs + 1,
        outcome: "admitted",
        endpoint: "images",
        usedTokens: null,
      }));
    const reports = [0, 2.1056, 4.5120000000000005].map((cents, index) => ({
      sentMs: 20 * index,
      headersMs: 20 * index + 1,
      cents,
    }));
    const { lowCents, highCents } = boundPrice(reports, [...bought(7, 10), ...bought(8, 30)]);
    expect([lowCents, highCents].map((cents) => cents.toFixed(6))).toEqual(["0.300800", "0.300800"]);
  });

  it("gives no upper bound of the price, while reports that fit give a narrow one", () => {
    const report = (atMs: number, cents: number): Parameters<typeof boundPrice>[0][number] => ({
      sentMs: atMs,
      headersMs: atMs + 1,
      cents,
    });
    const bought = [10, 30, 31, 32].map((sentMs) => ({
      sentMs,
      endMs: sentMs + 1,
      outcome: "admitted" as const,
      endpoint: "images" as const,
      usedTokens: null,
    }));
    expect(boundPrice([report(0, 0), report(20, 4), report(40, 16)], bought)).toEqual({
      lowCents: 3.75,
      highCents: 4.25,
    });
    expect(boundPrice([report(0, 0), report(20, 4), report(40, 4)], bought)).toEqual({
      lowCents: 0.75,
      highCents: Number.POSITIVE_INFINITY,
    });
  });
});
