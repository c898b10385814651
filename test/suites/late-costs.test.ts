import { expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { Sender } from "../../src/core/exchange/send-request.ts";
import { examineReference } from "../conformance/examine-reference.ts";

/** Reports as they came, but for their cost, which is that of some time before. */
const costsFollow =
  (lagMs: number) =>
  (sender: Sender): Sender => {
    const costs: { readonly sentMs: number; readonly cost: number }[] = [];
    const late = (exchange: Exchange): Exchange => {
      const { response, timing, endpoint } = exchange;
      const text = response?.body?.text ?? null;
      if (endpoint !== "usage" || response === null || response.body === null || text === null) return exchange;
      const report = JSON.parse(text) as { readonly aggregate: { readonly total_cost_usd: number } };
      costs.push({ sentMs: timing.sentMs, cost: report.aggregate.total_cost_usd });
      const shown = costs.findLast(({ sentMs }) => sentMs <= timing.sentMs - lagMs) ?? costs[0];
      const aggregate = { ...report.aggregate, total_cost_usd: shown?.cost };
      return {
        ...exchange,
        response: { ...response, body: { ...response.body, text: JSON.stringify({ ...report, aggregate }) } },
      };
    };
    return { ...sender, send: async (request) => late(await sender.send(request)) };
  };

// Another case goes before, so that there is a cost to begin with.
const cases = ["embeddings/inputs", "usage/reconciles"];
const manifest = (given: Manifest): Manifest => ({ ...given, prices: { ...given.prices, perMillionPromptTokens: 3 } });

it.each([
  [10_000, "pass"],
  [Number.POSITIVE_INFINITY, "fail"],
])("a cost that follows its tokens by %d ms: %s", async (lagMs, verdict) => {
  const { verdicts } = await examineReference({ cases, manifest, through: costsFollow(lagMs) });
  expect(verdicts.get("USG-047")).toBe(verdict);
});
