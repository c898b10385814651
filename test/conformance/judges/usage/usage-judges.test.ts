import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseIsoInstant } from "../../../../src/conformance/judges/usage/iso-instant.ts";
import { usageBuckets } from "../../../../src/conformance/judges/usage/usage-buckets.ts";
import { usageReconciliation } from "../../../../src/conformance/judges/usage/usage-reconciliation.ts";
import { nextBucketMs } from "../../../../src/conformance/judges/usage/usage-report.ts";
import { usageSums } from "../../../../src/conformance/judges/usage/usage-sums.ts";
import { usageWindows, windowLabels } from "../../../../src/conformance/judges/usage/usage-windows.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { judgeWith, verdictsOn } from "../../../suites/judge-with.ts";
import { type ExchangeDraft, makeExchange } from "../../../make/make-exchange.ts";

interface Bucket {
  readonly at: string;
  readonly tokens?: number;
  readonly cost?: number;
  readonly prompt?: number;
}

interface ReportDraft extends ExchangeDraft {
  readonly from?: string;
  readonly to?: string;
  readonly granularity?: string | null;
  readonly totalTokens?: number;
  readonly totalCost?: number;
}

function report(buckets: readonly Bucket[], draft: ReportDraft = {}): Exchange {
  const { from = "2026-11-20T00:00:00Z", to = "2026-11-22T00:00:00Z", granularity = "day", ...rest } = draft;
  const query = new URLSearchParams({ from, to, ...(granularity === null ? {} : { granularity }) });
  const data = buckets.map(({ at, tokens = 0, cost = 0, prompt = 0 }) => ({
    timestamp: at,
    prompt_tokens: prompt,
    completion_tokens: tokens - prompt,
    total_tokens: tokens,
    cost_usd: cost,
  }));
  const totalTokens = draft.totalTokens ?? buckets.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
  const totalCost = draft.totalCost ?? buckets.reduce((sum, { cost = 0 }) => sum + cost, 0);
  return makeExchange({
    endpoint: "usage",
    path: `/v1/usage?${query.toString()}`,
    received: { object: "list", data, aggregate: { total_tokens: totalTokens, total_cost_usd: totalCost } },
    ...rest,
  });
}

const yesterday = "2026-11-20T00:00:00Z";
const today = "2026-11-21T00:00:00Z";

describe("parseIsoInstant", () => {
  it.each([
    ["2026-01-31T10:20:30Z", Date.UTC(2026, 0, 31, 10, 20, 30)],
    ["2026-01-31T10:20:30.250Z", Date.UTC(2026, 0, 31, 10, 20, 30, 250)],
    ["2026-01-31T10:20+02:00", Date.UTC(2026, 0, 31, 8, 20)],
    ["2026-01-31T10:20:30-0330", Date.UTC(2026, 0, 31, 13, 50, 30)],
    ["2026-01-31", Date.UTC(2026, 0, 31)],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
  ])("reads %s", (text, unixMs) => {
    expect(parseIsoInstant(text)?.unixMs).toBe(unixMs);
  });

  it.each([
    "",
    "yesterday",
    "1700000000",
    "2026-02-30T00:00:00Z",
    "2026-13-01",
    "2026-01-01 00:00:00Z",
    "01.02.2026",
    "2026-01-01T25:00:00Z",
  ])("refuses %j", (text) => {
    expect(parseIsoInstant(text)).toBeNull();
  });

  it("agrees with the platform on every instant that it writes", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }), (date) => {
        expect(parseIsoInstant(date.toISOString())?.unixMs).toBe(date.getTime());
      }),
    );
  });
});

describe("nextBucketMs", () => {
  it("knows months of every length", () => {
    expect(nextBucketMs(Date.UTC(2026, 1, 1), "month")).toBe(Date.UTC(2026, 2, 1));
    expect(nextBucketMs(Date.UTC(2026, 11, 1), "month")).toBe(Date.UTC(2027, 0, 1));
    expect(nextBucketMs(Date.UTC(2026, 0, 1, 23), "hour")).toBe(Date.UTC(2026, 0, 2));
  });
});

describe("usage-buckets", () => {
  it("wants buckets to begin where hours, days and months begin, and advises against a constant offset (AMB-34)", () => {
    expect(verdictsOn("USG-017", usageBuckets, [report([{ at: yesterday }, { at: today }])])).toEqual(["pass"]);
    expect(verdictsOn("USG-017", usageBuckets, [report([{ at: "2026-11-20T18:30:00Z" }])])).toEqual(["advisory"]);
    expect(verdictsOn("USG-017", usageBuckets, [report([{ at: "2026-11-20T18:31:00Z" }])])).toEqual(["fail"]);
    const mixed = [{ at: "2026-11-20T18:30:00Z" }, { at: "2026-11-21T00:00:00Z" }];
    expect(verdictsOn("USG-017", usageBuckets, [report(mixed)])).toEqual(["fail"]);
    expect(verdictsOn("USG-017", usageBuckets, [report([{ at: "2026-11-20T01:00:00Z" }], { granularity: "hour" })])).toEqual([
      "pass",
    ]);
    expect(verdictsOn("USG-017", usageBuckets, [report([{ at: "2026-11-01T00:00:00Z" }], { granularity: "month" })])).toEqual([
      "pass",
    ]);
    const middle = { at: "2026-11-15T00:00:00Z" };
    expect(verdictsOn("USG-017", usageBuckets, [report([middle], { granularity: "month" })])).toEqual(["fail"]);
  });

  it("takes the start of the window for the start of the bucket that it cuts, and of no other", () => {
    const window = { from: "2026-11-20T09:17:00Z", granularity: "hour" } as const;
    const cut = { at: "2026-11-20T09:17:00Z" };
    expect(verdictsOn("USG-017", usageBuckets, [report([cut, { at: "2026-11-20T10:00:00Z" }], window)])).toEqual(["pass"]);
    expect(verdictsOn("USG-017", usageBuckets, [report([cut, { at: "2026-11-20T10:17:00Z" }], window)])[0]).not.toBe("pass");
    expect(verdictsOn("USG-017", usageBuckets, [report([cut], window)])).toEqual([]);
  });

  it("leaves the meaning of an omitted granularity to its own row", () => {
    expect(verdictsOn("USG-017", usageBuckets, [report([{ at: "2026-11-20T05:00:00Z" }], { granularity: null })])).toEqual([]);
  });

  it("wants each bucket once and overlapping the window", () => {
    expect(verdictsOn("USG-018", usageBuckets, [report([{ at: today }, { at: "2026-11-21T02:00:00+02:00" }])])).toEqual(["fail"]);
    expect(verdictsOn("USG-019", usageBuckets, [report([{ at: today }])])).toEqual(["pass"]);
    expect(verdictsOn("USG-019", usageBuckets, [report([{ at: "2026-11-22T00:00:00Z" }])])).toEqual(["fail"]);
    expect(verdictsOn("USG-019", usageBuckets, [report([{ at: "2026-11-19T00:00:00Z" }])])).toEqual(["fail"]);
    // A bucket that the start of the window cuts still overlaps it.
    expect(verdictsOn("USG-019", usageBuckets, [report([{ at: yesterday }], { from: "2026-11-20T12:00:00Z" })])).toEqual([
      "pass",
    ]);
  });

  it("wants timestamps written as ISO 8601", () => {
    expect(judgeWith(usageBuckets, [report([{ at: "21/11/2026" }])])).toEqual(["USG-016 fail"]);
  });
});

describe("usage-sums", () => {
  it("wants the total of a bucket to be the sum of its parts", () => {
    const wrong = makeExchange({
      endpoint: "usage",
      path: "/v1/usage?from=2026-11-20T12:00:00Z&to=2026-11-22T00:00:00Z",
      received: {
        data: [{ timestamp: today, prompt_tokens: 1, completion_tokens: 2, total_tokens: 4, cost_usd: 0 }],
        aggregate: { total_tokens: 4, total_cost_usd: 0 },
      },
    });
    expect(judgeWith(usageSums, [wrong])).toEqual(["USG-024 fail"]);
  });

  it("wants the aggregate to be the exact sum of tokens where no bucket is cut", () => {
    const buckets = [
      { at: yesterday, tokens: 5 },
      { at: today, tokens: 7 },
    ];
    expect(verdictsOn("USG-028", usageSums, [report(buckets)])).toEqual(["pass"]);
    expect(verdictsOn("USG-028", usageSums, [report(buckets, { totalTokens: 11 })])).toEqual(["fail"]);
    expect(verdictsOn("USG-028", usageSums, [report(buckets, { totalTokens: 11, from: "2026-11-20T12:00:00Z" })])).toEqual([]);
  });

  it("allows money to be rounded, and no more", () => {
    const cost = (total: number, ...costs: readonly number[]): readonly string[] =>
      verdictsOn("USG-029", usageSums, [
        report(
          costs.map((one, index) => ({ at: index === 0 ? yesterday : today, cost: one, tokens: 1 })),
          { totalCost: total },
        ),
      ]);
    expect(cost(0.3, 0.1, 0.2)).toEqual(["pass"]);
    expect(cost(0.3004, 0.1, 0.2)).toEqual(["pass"]);
    expect(cost(0.31, 0.1, 0.2)).toEqual(["fail"]);
    expect(cost(0.000_02, 0.000_01, 0.000_01)).toEqual(["pass"]);
    expect(cost(0.000_124, 0, 0)).toEqual(["fail"]);
    expect(cost(12, 0.1, 0.02)).toEqual(["fail"]);
    // Whole cents beside a total that is finer, where half a percent would cover them.
    expect(cost(1.065_564, 0.5, 0.57)).toEqual(["fail"]);
    expect(cost(1.065_564, 0.5, 0.566)).toEqual(["pass"]);
  });
});

describe("usage-windows", () => {
  const caseId = "usage/windows";
  const [first, second, third, fourth] = windowLabels.frames;
  const at = (seq: number, label: string, tokens: number, draft: ReportDraft = {}): Exchange =>
    report([{ at: today, tokens }], { caseId, label, seq, ...draft });

  it("frames each question by two reports of the same window, because usage may grow meanwhile", () => {
    const frames = [at(1, first, 10), at(3, second, 14)];
    expect(verdictsOn("USG-005", usageWindows, [...frames, at(2, windowLabels.offset, 12)])).toEqual(["pass"]);
    expect(verdictsOn("USG-005", usageWindows, [...frames, at(2, windowLabels.offset, 9)])).toEqual(["fail"]);
    expect(verdictsOn("USG-005", usageWindows, [...frames, at(2, windowLabels.offset, 15)])).toEqual(["fail"]);
  });

  it("says nothing where nothing was used", () => {
    const record = [at(1, first, 0), at(2, windowLabels.offset, 0), at(3, second, 0)];
    expect(verdictsOn("USG-005", usageWindows, record)).toEqual([]);
  });

  it("adds adjacent windows, so that a bucket on the edge may be counted once only", () => {
    const frames = [at(1, third, 10), at(4, fourth, 10)];
    expect(verdictsOn("USG-031", usageWindows, [...frames, at(2, windowLabels.left, 4), at(3, windowLabels.right, 6)])).toEqual([
      "pass",
    ]);
    expect(verdictsOn("USG-031", usageWindows, [...frames, at(2, windowLabels.left, 10), at(3, windowLabels.right, 10)])).toEqual(
      ["fail"],
    );
    expect(verdictsOn("USG-031", usageWindows, [...frames, at(2, windowLabels.left, 4), at(3, windowLabels.right, 5)])).toEqual([
      "fail",
    ]);
    expect(verdictsOn("USG-031", usageWindows, [...frames, at(2, windowLabels.left, 4)])).toEqual([]);
  });

  it("wants the same aggregate in every granularity", () => {
    const frames = [at(1, second, 10), at(4, third, 10)];
    const asked = (hour: number, month: number): readonly Exchange[] => [
      ...frames,
      at(2, windowLabels.hour, hour, { granularity: "hour" }),
      at(3, windowLabels.month, month, { granularity: "month" }),
    ];
    expect(verdictsOn("USG-030", usageWindows, asked(10, 10))).toEqual(["pass", "pass"]);
    expect(verdictsOn("USG-030", usageWindows, asked(9, 10))).toEqual(["fail", "pass"]);
    expect(verdictsOn("USG-030", usageWindows, asked(10, 300))).toEqual(["pass", "fail"]);
  });

  it("wants the default to be days, and nothing in the future", () => {
    const frames = [at(1, second, 10), at(3, third, 10)];
    const omitted = (start: string): Exchange =>
      report([{ at: start, tokens: 10 }], { caseId, label: windowLabels.omitted, seq: 2, granularity: null });
    expect(verdictsOn("USG-011", usageWindows, [...frames, omitted(today)])).toEqual(["pass"]);
    expect(verdictsOn("USG-011", usageWindows, [...frames, omitted("2026-11-21T09:00:00Z")])).toEqual(["fail"]);
    expect(verdictsOn("USG-038", usageWindows, [report([], { caseId, label: windowLabels.future })])).toEqual(["pass"]);
    expect(
      verdictsOn("USG-038", usageWindows, [report([{ at: today, tokens: 1 }], { caseId, label: windowLabels.future })]),
    ).toEqual(["fail"]);
  });

  it("keeps a repeated case apart from its first run", () => {
    const record = [
      at(1, first, 10),
      at(2, windowLabels.offset, 10),
      at(3, second, 10),
      at(4, first, 50, { attempt: 2 }),
      at(5, windowLabels.offset, 50, { attempt: 2 }),
      at(6, second, 50, { attempt: 2 }),
    ];
    expect(verdictsOn("USG-005", usageWindows, record)).toEqual(["pass", "pass"]);
  });
});

describe("usage-reconciliation", () => {
  const hour = "2026-11-21T09:00:00Z";
  const earlier = "2026-11-21T07:00:00Z";
  const at = (seq: number, caseId: string, label: string, tokens: number, draft: ReportDraft = {}): Exchange =>
    report(
      [
        { at: earlier, tokens: 100 },
        { at: hour, tokens, prompt: tokens },
      ],
      { caseId, label, seq, granularity: "hour", ...draft },
    );
  const chat = (seq: number, caseId: string, tokens: number | null, draft: ExchangeDraft = {}): Exchange =>
    makeExchange({
      seq,
      endpoint: "chat",
      caseId,
      received: tokens === null ? {} : { usage: { total_tokens: tokens } },
      ...draft,
    });

  const caseId = "usage/reconciles";

  it("wants usage to grow by what the answers reported, whoever of the account asked", () => {
    const traffic = [chat(2, caseId, 7), chat(3, "chat/elsewhere", 5, { keyName: "secondary" })];
    expect(
      verdictsOn("USG-032", usageReconciliation, [at(1, caseId, "before", 0), ...traffic, at(4, caseId, "after-1", 12)]),
    ).toEqual(["pass"]);
    expect(
      verdictsOn("USG-032", usageReconciliation, [at(1, caseId, "before", 0), ...traffic, at(4, caseId, "after-1", 11)]),
    ).toEqual(["fail"]);
    // Traffic of others only adds.
    expect(
      verdictsOn("USG-032", usageReconciliation, [at(1, caseId, "before", 0), ...traffic, at(4, caseId, "after-1", 500)]),
    ).toEqual(["pass"]);
  });

  it("takes the last report of a service that needs time", () => {
    const record = [at(1, caseId, "before", 0), chat(2, caseId, 7), at(3, caseId, "after-1", 0), at(4, caseId, "after-2", 7)];
    expect(verdictsOn("USG-032", usageReconciliation, record)).toEqual(["pass"]);
    expect(verdictsOn("USG-036", usageReconciliation, record)).toEqual(["observed"]);
  });

  it("counts only what surely lies between the reports", () => {
    const straddling = chat(2, "chat/elsewhere", 50, { sentMs: 110, endMs: 390 });
    const record = [
      at(1, caseId, "before", 0),
      straddling,
      chat(3, caseId, 7),
      at(4, caseId, "after-1", 7, { sentMs: 380, endMs: 400 }),
    ];
    expect(verdictsOn("USG-032", usageReconciliation, record)).toEqual(["pass"]);
  });

  it("wants no more on exclusive keys, unless something does not tell its tokens", () => {
    const record = [at(1, caseId, "before", 0), chat(2, caseId, 7), at(4, caseId, "after-1", 9)];
    expect(verdictsOn("USG-032", usageReconciliation, record, { exclusive: true })).toEqual(["fail"]);
    const silent = chat(3, "stream/elsewhere", null);
    expect(verdictsOn("USG-032", usageReconciliation, [...record.slice(0, 2), silent, record[2]!], { exclusive: true })).toEqual([
      "pass",
    ]);
  });

  it("wants growth in the hour of the requests only", () => {
    const before = at(1, caseId, "before", 0);
    expect(verdictsOn("USG-040", usageReconciliation, [before, chat(2, caseId, 7), at(3, caseId, "after-1", 7)])).toEqual([
      "pass",
    ]);
    const misplaced = report(
      [
        { at: earlier, tokens: 107 },
        { at: hour, tokens: 0 },
      ],
      { caseId, label: "after-1", seq: 3, granularity: "hour" },
    );
    expect(verdictsOn("USG-040", usageReconciliation, [before, chat(2, caseId, 7), misplaced])).toEqual(["fail"]);
  });

  it("wants another key of the account to show", () => {
    const id = "usage/covers-the-account";
    const traffic = chat(2, id, 7, { keyName: "secondary" });
    expect(verdictsOn("USG-033", usageReconciliation, [at(1, id, "before", 0), traffic, at(3, id, "after-1", 7)])).toEqual([
      "pass",
    ]);
    expect(verdictsOn("USG-033", usageReconciliation, [at(1, id, "before", 0), traffic, at(3, id, "after-1", 0)])).toEqual([
      "fail",
    ]);
  });

  it("wants a stream to show, even one that reports no usage", () => {
    const id = "usage/counts-streams";
    const stream = chat(2, id, null, { stream: true });
    expect(verdictsOn("USG-041", usageReconciliation, [at(1, id, "before", 0), stream, at(3, id, "after-1", 4)])).toEqual([
      "pass",
    ]);
    expect(verdictsOn("USG-041", usageReconciliation, [at(1, id, "before", 0), stream, at(3, id, "after-1", 0)])).toEqual([
      "fail",
    ]);
    const plain = chat(2, id, 4);
    expect(verdictsOn("USG-041", usageReconciliation, [at(1, id, "before", 0), plain, at(3, id, "after-1", 4)])).toEqual([
      "inconclusive",
    ]);
  });
});
