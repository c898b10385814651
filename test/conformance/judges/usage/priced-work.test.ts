import { expect, it } from "vitest";
import { pricedWork } from "../../../../src/conformance/judges/usage/priced-work.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../../../src/core/manifest.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { testManifest } from "../../../make/test-manifest.ts";
import { printJudge } from "../print-occurrences.ts";

const caseId = "usage/images-cost";
const path = "/v1/usage?from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";
const report = (seq: number, label: string, total_cost_usd: number | undefined): Exchange => {
  const received = { object: "list", data: [], aggregate: { total_tokens: 5, total_cost_usd } };
  return makeExchange({ seq, caseId, label, endpoint: "usage", path, received });
};
const image = (seq: number, draft: { readonly caseId?: string; readonly status?: number } = {}): Exchange =>
  makeExchange({
    seq,
    caseId,
    label: "image",
    endpoint: "images",
    received: { data: [{ url: "http://127.0.0.1/1" }] },
    ...draft,
  });
const priced = (perImage: number): Partial<Manifest> => ({
  prices: { ...testManifest("http://127.0.0.1").prices, perImage },
  declaredPrices: ["perImage"],
});
const verdicts = (
  costs: readonly [number | undefined, number | undefined],
  manifest = priced(0.002),
  draft = {},
): readonly string[] =>
  printJudge(pricedWork, [report(1, "before", costs[0]), image(2, draft), report(3, "after-1", costs[1])], manifest).map(
    (line) => line.split(" #")[0] ?? "",
  );

it("fails where an image with a price adds nothing to the cost", () => {
  expect(verdicts([0.010001, 0.010001])).toEqual(["USG-047 fail"]);
  expect(verdicts([0.010001, 0.012001])).toEqual(["USG-047 pass"]);
});

it("rests on no amount", () => {
  expect(verdicts([0.010001, 0.010002])).toEqual(["USG-047 pass"]);
  expect(verdicts([0.010001, 5])).toEqual(["USG-047 pass"]);
});

it("says nothing without a stated price, without an image, and where the report shows cents alone", () => {
  expect(verdicts([0.010001, 0.010001], { ...priced(0.002), declaredPrices: [] })).toEqual([]);
  expect(verdicts([0.010001, 0.010001], priced(0.002), { status: 503 })).toEqual([]);
  expect(verdicts([0.01, 0.01])).toEqual([]);
});

it("fails where a report shows no cost at all for more than cents can hide", () => {
  const many = Array.from({ length: 20 }, (_, index) => image(index + 1, { caseId: "images/minimal" }));
  const record = [...many, report(30, "before", 0), image(31), report(32, "after-1", 0)];
  const lines = printJudge(pricedWork, record, priced(0.002));
  expect(lines).toEqual([expect.stringContaining("USG-047 fail #32: the report shows no cost at all")]);
});

it("leaves a report without a total to the row of its shape", () => {
  expect(verdicts([undefined, undefined])).toEqual([]);
  expect(verdicts([0.010001, undefined])).toEqual([]);
  expect(verdicts([undefined, 0.010001])).toEqual([]);
});

it("counts no prompt tokens that a cache held", () => {
  const manifest: Partial<Manifest> = {
    prices: { ...testManifest("http://127.0.0.1").prices, perMillionPromptTokens: 10 },
    declaredPrices: ["perMillionPromptTokens"],
  };
  const judged = (cached_tokens: number): readonly string[] => {
    const usage = { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101, prompt_tokens_details: { cached_tokens } };
    const chat = makeExchange({ seq: 2, caseId: "usage/reconciles", label: "chat-1", endpoint: "chat", received: { usage } });
    const reports = [report(1, "before", 0.010001), report(3, "after-1", 0.010001)];
    const [before, after] = reports.map((one) => ({ ...one, caseId: "usage/reconciles" }));
    return printJudge(pricedWork, [before!, chat, after!], manifest).map((line) => line.split(" #")[0] ?? "");
  };
  expect(judged(0)).toEqual(["USG-047 fail"]);
  expect(judged(100)).toEqual([]);
});
