import { describe, expect, it } from "vitest";
import { usageReconciliation } from "../../../../src/conformance/judges/usage/usage-reconciliation.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { type BucketDraft, makeUsage, type UsageDraft } from "../../../make/exchanges/make-usage.ts";
import { printJudge } from "../print-occurrences.ts";

const reconciles = "usage/reconciles";
const minuteMs = 60_000;

/** A report of one case; the records of the tests begin at 9:30 and take 20 ms each, 100 ms apart. */
function report(seq: number, label: string, tokens: number, draft: UsageDraft = {}): Exchange {
  return makeUsage([{ at: "2026-11-21T09:00:00Z", tokens }], { caseId: reconciles, label, seq, granularity: "hour", ...draft });
}

function chat(seq: number, tokens: number | null, draft: ExchangeDraft = {}): Exchange {
  const received = tokens === null ? {} : { usage: { total_tokens: tokens } };
  return makeExchange({ seq, endpoint: "chat", caseId: reconciles, received, ...draft });
}

function on(requirement: string, exchanges: readonly Exchange[], exclusive = false): readonly string[] {
  return printJudge(usageReconciliation, exchanges, { exclusive }).filter((line) => line.startsWith(requirement));
}

const elsewhere = { caseId: "chat/elsewhere" };

describe("growth of the usage (USG-032)", () => {
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => on("USG-032", exchanges);

  it("says what is missing, and cites three requests at most", () => {
    const traffic = [2, 3, 4, 5].map((seq) => chat(seq, 2));
    expect(outcomes(report(1, "before", 0), ...traffic, report(6, "after-1", 7))).toEqual([
      "USG-032 fail #1 #6 #2 #3 #4: usage grew by fewer tokens than the answers of this run reported [expected at least 8 tokens more than before] [observed 7 more]",
    ]);
  });

  it("needs a report before, a report after and traffic between them that reports its tokens", () => {
    const [before, after, asked] = [report(1, "before", 0), report(5, "after-1", 0), chat(3, 2)];
    const unreadable = { received: { data: [], aggregate: {} } };
    expect(outcomes(before, asked, after)).toHaveLength(1);
    expect(outcomes(before, asked)).toEqual([]);
    expect(outcomes(asked, after)).toEqual([]);
    expect(printJudge(usageReconciliation, [before, after])).toEqual([]);
    expect(outcomes(before, chat(3, null), after)).toEqual([]);
    expect(outcomes(before, asked, { ...after, response: null })).toEqual([]);
    expect(outcomes({ ...before, response: null }, asked, after)).toEqual([]);
    expect(outcomes(report(1, "before", 0, unreadable), asked, after)).toEqual([]);
    expect(outcomes(before, asked, report(5, "after-1", 0, unreadable))).toEqual([]);
    expect(outcomes(before, asked, report(4, "else", 2), after)).toEqual([expect.stringContaining("USG-032 fail #1 #5")]);
    expect(outcomes(before, asked, after, report(6, "else", 2))).toEqual([expect.stringContaining("USG-032 fail #1 #5")]);
    expect(outcomes(report(1, "after-1", 9), before.seq === 1 ? report(2, "before", 0) : before, asked, after)).toHaveLength(1);
  });

  it("keeps a repeated case apart from the first", () => {
    const record = [
      report(1, "before", 0),
      chat(2, 2),
      report(3, "after-1", 2),
      report(4, "before", 2),
      chat(5, 3),
      report(6, "after-1", 4),
    ];
    expect(outcomes(...record).map((line) => line.split(":")[0])).toEqual(["USG-032 pass #1 #3 #2", "USG-032 fail #4 #6 #5"]);
  });

  it("counts what began after the first report and ended before the next was asked for", () => {
    const record = (draft: ExchangeDraft): string | undefined =>
      outcomes(report(1, "before", 0), chat(2, 2), chat(3, 5, { ...elsewhere, ...draft }), report(4, "after-1", 2))[0];
    expect(record({ sentMs: 120, endMs: 400 })).toContain("fail");
    expect(record({ sentMs: 119, endMs: 400 })).toContain("pass");
    expect(record({ sentMs: 120, endMs: 401 })).toContain("pass");
    expect(record({ keyName: "foreign" })).toContain("pass");
    expect(record({ keyName: null })).toContain("pass");
    const late = [report(1, "before", 0), chat(2, 2), report(3, "after-1", 0), chat(4, 5, elsewhere), report(5, "after-2", 2)];
    expect(outcomes(...late)).toEqual(["USG-032 pass #1 #5 #2"]);
  });

  it("wants no more than could be caused where nobody else uses the account", () => {
    expect(outcomes(report(1, "before", 0), chat(2, 2), report(4, "after-1", 500))[0]).toContain("USG-032 pass");
    const judgeAlone = (growth: number, ...others: readonly Exchange[]): string | undefined =>
      on("USG-032", [report(1, "before", 0), chat(2, 2), ...others, report(4, "after-1", growth)], true)[0];
    expect(judgeAlone(2)).toContain("pass");
    expect(judgeAlone(3)).toBe(
      "USG-032 fail #1 #4 #2: usage grew by more tokens than the answers of this run reported, although nobody else uses the account [expected at most 2 tokens more than before] [observed 3 more]",
    );
    const other = (draft: ExchangeDraft): string | undefined =>
      judgeAlone(9, chat(3, 7, { ...elsewhere, ...draft }))?.slice(0, 12);
    const [counts, silent, ignored] = ["USG-032 pass", "USG-032 pass", "USG-032 fail"];
    expect(other({})).toBe(counts);
    expect(other({ sentMs: 420, endMs: 500 })).toBe(counts);
    expect(other({ sentMs: 421, endMs: 500 })).toBe(ignored);
    expect(other({ sentMs: 10, endMs: 100 })).toBe(counts);
    expect(other({ sentMs: 10, endMs: 99 })).toBe(ignored);
    for (const endpoint of ["chat", "embeddings", "images", "transcriptions"] as const) {
      expect(other({ endpoint, received: {} })).toBe(silent);
      expect(other({ endpoint, received: {}, status: 399 })).toBe(silent);
      expect(other({ endpoint, status: null })).toBe(silent);
      expect(other({ endpoint, received: {}, status: 400 })).toBe(ignored);
      expect(other({ endpoint, received: {}, keyName: null })).toBe(ignored);
    }
    expect(other({ endpoint: "models", received: {} })).toBe(ignored);
    expect(other({ endpoint: null, received: {} })).toBe(ignored);
  });
});

describe("the hours that grow (USG-040)", () => {
  const hour = (time: number): string => `2026-11-21T${String(time).padStart(2, "0")}:00:00Z`;
  /** Reports with one bucket each, asked for so many minutes and milliseconds after 9:30. */
  const outcomes = (
    [from, to]: readonly [number, number],
    after: readonly BucketDraft[],
    before: readonly BucketDraft[] = [],
    draft: UsageDraft = {},
  ): readonly string[] => {
    const timed = { caseId: reconciles, granularity: "hour", ...draft };
    return on("USG-040", [
      makeUsage(before, { ...timed, label: "before", seq: 1, sentMs: from }),
      chat(2, 2, { sentMs: from + 50 }),
      makeUsage(after, { ...timed, label: "after-1", seq: 3, sentMs: to }),
    ]);
  };
  const passed = ["USG-040 pass #1 #3 #2"];

  it("are those of the requests, and five minutes around them", () => {
    expect(outcomes([35 * minuteMs - 1000, 36 * minuteMs], [{ at: hour(9), tokens: 2 }])).toEqual(passed);
    expect(outcomes([35 * minuteMs, 36 * minuteMs], [{ at: hour(9), tokens: 2 }])).toEqual([
      "USG-040 fail #1 #3 #2: usage is reported in a bucket of another time than that of the request [expected growth only in the hours from 2026-11-21T10:00:00.000Z to 2026-11-21T10:11:00.000Z] [observed growth at 2026-11-21T09:00:00.000Z]",
    ]);
    expect(outcomes([0, 25 * minuteMs], [{ at: hour(10), tokens: 2 }])).toEqual(passed);
    expect(outcomes([0, 25 * minuteMs - 1000], [{ at: hour(10), tokens: 2 }])[0]).toContain("USG-040 fail");
  });

  it("are not judged where nothing grew, or where buckets cannot be compared", () => {
    const [wrong, right] = [
      { at: hour(7), tokens: 2 },
      { at: hour(9), tokens: 2 },
    ];
    expect(outcomes([0, minuteMs], [wrong])[0]).toContain("USG-040 fail");
    expect(outcomes([0, minuteMs], [wrong, right], [wrong])).toEqual(passed);
    expect(outcomes([0, minuteMs], [wrong], [{ at: hour(8), tokens: 2 }])).toEqual([]);
    expect(outcomes([0, minuteMs], [wrong], [], { granularity: "day" })).toEqual([]);
    expect(outcomes([0, minuteMs], [{ at: "x", tokens: 5 }, right], [{ at: "x", tokens: 1 }])).toEqual(passed);
    const noList = (tokens: number): UsageDraft => ({ received: { data: 5, aggregate: { total_tokens: tokens } } });
    expect(on("USG-040", [report(1, "before", 0, noList(0)), chat(2, 2), report(3, "after-1", 2)])).toEqual([]);
    expect(on("USG-040", [report(1, "before", 0), chat(2, 2), report(3, "after-1", 2, noList(2))])).toEqual([]);
  });
});

describe("the time until usage shows (USG-036)", () => {
  const outcomes = (...afters: readonly number[]): readonly string[] =>
    on("USG-036", [
      report(1, "before", 0),
      chat(2, 2),
      chat(3, 3),
      ...afters.map((tokens, index) => report(4 + index, `after-${index + 1}`, tokens)),
    ]);
  const time = "#2 #3: time until usage shows in a report =";

  it("is that of the first report that holds all of it", () => {
    expect(outcomes(5)).toEqual([`USG-036 observed #1 #4 ${time} at once [observed complete after 80 ms at most]`]);
    expect(outcomes(4, 5, 5)).toEqual([`USG-036 observed #1 #5 ${time} not at once [observed complete after 180 ms at most]`]);
    expect(outcomes(4, 4)).toEqual([
      `USG-036 observed #1 #5 ${time} not within the time that the case waits [observed not complete]`,
    ]);
  });
});

describe("other keys, streams and refusals", () => {
  const during = (caseId: string, growth: number, ...traffic: readonly Exchange[]): readonly Exchange[] => [
    report(1, "before", 0, { caseId }),
    ...traffic.map((exchange) => ({ ...exchange, caseId })),
    report(9, "after-1", growth, { caseId }),
  ];

  it("says what another key of the account used (USG-033)", () => {
    const outcomes = (growth: number, ...tokens: readonly (number | null)[]): readonly string[] =>
      on(
        "USG-033",
        during("usage/covers-the-account", growth, ...tokens.map((one, index) => chat(2 + index, one, { keyName: "secondary" }))),
      );
    expect(outcomes(2, 2)).toEqual(["USG-033 pass #1 #9 #2"]);
    expect(outcomes(1, 2, null)).toEqual([
      "USG-033 fail #1 #9 #2 #3: tokens that another key of the account used do not show in the report [expected at least 2 tokens more than before] [observed 1 more]",
    ]);
    expect(outcomes(1, null)).toEqual([]);
  });

  it("wants streams to show (USG-041)", () => {
    const stream = chat(2, null, { stream: true });
    const outcomes = (growth: number, ...traffic: readonly Exchange[]): readonly string[] =>
      on("USG-041", during("usage/counts-streams", growth, ...traffic));
    expect(outcomes(1, stream)).toEqual(["USG-041 pass #1 #9 #2"]);
    expect(outcomes(0, stream)).toEqual([
      "USG-041 fail #1 #9 #2: a streamed answer does not show in the usage [expected at least 1 tokens more than before] [observed 0 more]",
    ]);
    const event = { ...stream.response!.stream!, events: [{ atMs: 1, earliestMs: 1, read: 1, event: "message", data: "" }] };
    const telling = (tokens: number): Exchange => ({
      ...stream,
      response: {
        ...stream.response!,
        stream: { ...event, events: [{ ...event.events[0]!, data: JSON.stringify({ usage: { total_tokens: tokens } }) }] },
      },
    });
    expect(outcomes(3, telling(3))).toEqual(["USG-041 pass #1 #9 #2"]);
    expect(outcomes(3, telling(3), { ...stream, seq: 3 })).toEqual(["USG-041 pass #1 #9 #2 #3"]);
    const other = "USG-041 inconclusive #1 #9 #2 #3: the request was not answered with a stream";
    expect(outcomes(5, stream, chat(3, 5))).toEqual([other]);
    expect(outcomes(5, stream, chat(3, 5, { status: null }))).toEqual([other]);
  });

  it("wants prompt and text of a stream in their places, where the stream says nothing of its tokens (USG-041)", () => {
    const saying = (content: string): Exchange => {
      const stream = chat(2, null, { stream: true, caseId: "usage/counts-streams" });
      const data = JSON.stringify({ choices: [{ delta: { content } }] });
      const events = [{ atMs: 1, earliestMs: 1, latestMs: 1, read: 1, event: "message", data }];
      return { ...stream, response: { ...stream.response!, stream: { ...stream.response!.stream!, events } } };
    };
    const reported = (seq: number, label: string, tokens: number, completion: number): Exchange =>
      makeUsage([{ at: "2026-11-21T09:00:00Z", tokens, completion }], {
        caseId: "usage/counts-streams",
        label,
        seq,
        granularity: "hour",
      });
    const outcomes = (content: string, tokens: number, completion: number): readonly string[] =>
      on("USG-041", [reported(1, "before", 20, 10), saying(content), reported(9, "after-1", 20 + tokens, 10 + completion)]);
    expect(outcomes("Blue", 14, 1)).toEqual(["USG-041 pass #1 #9 #2"]);
    expect(outcomes(" ", 13, 0)).toEqual(["USG-041 pass #1 #9 #2"]);
    expect(outcomes("Blue", 2, 2)).toEqual([
      "USG-041 fail #1 #9 #2: the prompt of a streamed answer does not show in the usage [expected more prompt_tokens than before] [observed 2 tokens more, none of them of a prompt]",
    ]);
    expect(outcomes("Blue", 13, 0)).toEqual([
      "USG-041 fail #1 #9 #2: the completion of a streamed answer does not show in the usage [expected more completion_tokens than before] [observed 13 tokens more, none of them of a completion]",
    ]);
  });
});

describe("a report that is late", () => {
  /** An answer of 7 tokens just before the report, which an earlier case may have shown to be late. */
  const record = (lagMs: number, growth: number): readonly Exchange[] => [
    makeUsage([], { caseId: "usage/at-once", label: "before", seq: 1, sentMs: 0 }),
    chat(2, 3, { caseId: "usage/at-once", sentMs: 30, endMs: 40 }),
    makeUsage([], { caseId: "usage/at-once", label: "after-1", seq: 3, sentMs: 50 }),
    makeUsage([{ at: "2026-11-21T09:00:00Z", tokens: 3 }], {
      caseId: "usage/at-once",
      label: "after-2",
      seq: 4,
      sentMs: 40 + lagMs,
      endMs: 40 + lagMs,
    }),
    chat(5, 7, { caseId: "chat/elsewhere", sentMs: 10_000, endMs: 10_010 }),
    report(6, "before", 3, { sentMs: 15_000 }),
    chat(7, 2, { sentMs: 15_100 }),
    report(8, "after-1", 3 + growth, { sentMs: 15_200 }),
  ];
  const verdict = (lagMs: number, growth: number): string | undefined =>
    on("USG-032", record(lagMs, growth), true)
      .find((line) => line.includes("#6"))
      ?.split(" #")[0];

  it("may show afterwards what was used before it, three times as long as it was seen to take (USG-032)", () => {
    expect(verdict(2000, 9)).toBe("USG-032 pass");
    expect(verdict(2000, 10)).toBe("USG-032 fail");
    expect(verdict(1000, 9)).toBe("USG-032 fail");
  });
});
