import { describe, expect, it } from "vitest";
import { boundPrice } from "../../../src/limits/history/price-bounds.ts";
import { examineSwitch } from "../sockets/examine-switch.ts";

/** How fresh a usage report is, nobody promises (AMB-35): what it leaves out must not be taken for what was not spent. */
describe("a usage report that lags", () => {
  // Begins of the exam in whose first seconds a new report is due, so that a price can be measured.
  it.each([2, 3, 5, 7])("by up to twenty seconds accuses no cap, and the caps are judged (seed %i)", async (seed) => {
    const { result, findings } = await examineSwitch("spend", null, { seed, variants: ["usage/report-in-steps"] });
    expect(findings).toEqual([]);
    expect(result.policies.map(({ kind, verdict }) => [kind, verdict])).toContainEqual(["key-cap", "pass"]);
  });

  it("gives no upper bound of the price, while reports that fit give a narrow one", () => {
    const report = (atMs: number, cents: number): Parameters<typeof boundPrice>[0][number] => ({
      sentMs: atMs,
      headersMs: atMs + 1,
      cents,
    });
    const bought = [10, 30, 31, 32].map((sentMs) => ({ sentMs, endMs: sentMs + 1, outcome: "admitted" as const }));
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
