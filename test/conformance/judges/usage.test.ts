import { describe, expect, it } from "vitest";
import { parseIsoInstant } from "../../../src/conformance/judges/usage/iso-instant.ts";
import { usageAcceptance } from "../../../src/conformance/judges/usage/usage-acceptance.ts";
import { usageBuckets } from "../../../src/conformance/judges/usage/usage-buckets.ts";
import { nextBucketMs } from "../../../src/conformance/judges/usage/usage-report.ts";
import { usageSums } from "../../../src/conformance/judges/usage/usage-sums.ts";
import { usageWindows, windowLabels } from "../../../src/conformance/judges/usage/usage-windows.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";
import { makeUsage, type UsageDraft } from "../../make/exchanges/make-usage.ts";

const day = (date: number, time = "00:00:00Z"): string => `2026-11-${date}T${time}`;

describe("parseIsoInstant", () => {
  it.each([
    ["2026-11-20", Date.UTC(2026, 10, 20), null],
    ["2026-11-20T10", null, null],
    ["on 2026-11-20", null, null],
    ["2026-11-20T10:20:30Z?", null, null],
    ["2026-11-20T10:20:30Z", Date.UTC(2026, 10, 20, 10, 20, 30), 0],
    ["2026-11-20T10:20Z", Date.UTC(2026, 10, 20, 10, 20), 0],
    ["2026-11-20T10:20:30.25Z", Date.UTC(2026, 10, 20, 10, 20, 30, 250), 0],
    ["2026-11-20T10:20:30-03", Date.UTC(2026, 10, 20, 13, 20, 30), -180],
    ["2026-11-20T10:20:30+0545", Date.UTC(2026, 10, 20, 4, 35, 30), 345],
    ["2026-11-20T24:00:00Z", Date.UTC(2026, 10, 21), 0],
    ["2026-11-20T25:00:00Z", null, null],
    ["2026-11-20T23:60:00Z", null, null],
    ["2026-11-20T23:59:60Z", Date.UTC(2026, 10, 21), 0],
    ["2026-11-20T23:59:61Z", null, null],
    ["2026-00-20", null, null],
    ["2026-13-20", null, null],
    ["2026-11-00", null, null],
    ["2026-11-31", null, null],
    ["2026-11-20 10:20:30Z", null, null],
    ["20261120T102030Z", Date.UTC(2026, 10, 20, 10, 20, 30), 0],
    ["20261120T102030+0545", Date.UTC(2026, 10, 20, 4, 35, 30), 345],
    ["20261120", Date.UTC(2026, 10, 20), null],
    ["20261131T000000Z", null, null],
    ["20261120T10:20:30Z", null, null],
  ] as const)("reads %s", (text, unixMs, offsetMinutes) => {
    expect(parseIsoInstant(text)).toEqual(unixMs === null ? null : { unixMs, offsetMinutes });
  });
});

describe("parseIsoInstant of the usual notation", () => {
  const two = (number: number): string => String(number).padStart(2, "0");

  it("finds what it finds where the same instant is written with a fraction", () => {
    for (const year of ["0000", "0050", "1900", "2024", "2026"]) {
      for (let month = 0; month <= 13; month += 1) {
        for (let date = 0; date <= 32; date += 1) {
          for (const time of ["00:00:00", "23:59:60", "24:00:00", "23:60:00", "25:00:00", "1a:00:00", "10:00:61"]) {
            const text = `${year}-${two(month)}-${two(date)}T${time}`;
            expect([text, parseIsoInstant(`${text}Z`)]).toEqual([text, parseIsoInstant(`${text}.0Z`)]);
          }
        }
      }
    }
  });
});

describe("nextBucketMs", () => {
  it("keeps the time of the day from month to month", () => {
    expect(nextBucketMs(Date.UTC(2026, 0, 1, 5), "month")).toBe(Date.UTC(2026, 1, 1, 5));
    expect(nextBucketMs(Date.UTC(2026, 11, 1), "month")).toBe(Date.UTC(2027, 0, 1));
    expect(nextBucketMs(Date.UTC(2026, 0, 1, 23), "hour")).toBe(Date.UTC(2026, 0, 2));
  });
});

describe("usage-acceptance", () => {
  it("takes a notation for what both ends of the window have", () => {
    const asked = (query: string): readonly string[] =>
      printJudge(usageAcceptance, [makeExchange({ endpoint: "usage", path: `/v1/usage${query}` })]);
    const [plain, zone] = [day(20), day(20, "00:00:00%2B01:00")];
    expect(asked("")).toEqual(["SVC-008 pass #1"]);
    expect(asked(`?from=${plain}`)).toEqual(["SVC-008 pass #1"]);
    expect(asked(`?to=${plain}`)).toEqual(["SVC-008 pass #1"]);
    expect(asked(`?from=${plain}&to=${plain}`)).toEqual(["SVC-008 pass #1", "USG-001 pass #1", "USG-004 pass #1"]);
    expect(asked(`?from=${plain}&to=${zone}`)).toEqual(["SVC-008 pass #1", "USG-001 pass #1"]);
    expect(asked(`?from=${zone}&to=${zone}&granularity=day`)).toEqual(["SVC-008 pass #1", "USG-005 pass #1", "USG-009 pass #1"]);
    const named = (end: string): string => `${end}[Asia/Tokyo]`;
    const precise = day(20, "00:00:00.000Z");
    expect(asked(`?from=${named(plain)}&to=${named(plain)}`)).toEqual(["SVC-008 pass #1", "USG-001 pass #1"]);
    expect(asked(`?from=${named(zone)}&to=${named(zone)}`)).toEqual(["SVC-008 pass #1", "USG-001 pass #1"]);
    expect(asked(`?from=${named(precise)}&to=${named(precise)}`)).toEqual(["SVC-008 pass #1", "USG-001 pass #1"]);
  });
});

describe("usage-acceptance of a refused request", () => {
  it("names what it shows and no accepted one did", () => {
    const asked = (seq: number, end: string, granularity: string | null, status: number): Exchange =>
      makeExchange({
        seq,
        endpoint: "usage",
        status,
        path: `/v1/usage?from=${end}&to=${end}${granularity === null ? "" : `&granularity=${granularity}`}`,
      });
    const stated = (accepted: string, end: string, granularity: string | null): readonly string[] =>
      printJudge(usageAcceptance, [asked(1, day(20), accepted, 200), asked(2, end, granularity, 422)])
        .filter((line) => line.includes(": a valid request is refused"))
        .map((line) => line.replace(/ (?:fail|advisory) #2: a valid request is refused/, "").replace(/ \[.*/, ""));
    const zone = day(20, "00:00:00%2B01:00");
    expect(stated("day", zone, null)).toEqual([
      "USG-001: a window given by its two ends",
      "USG-005: instants with a numeric offset",
    ]);
    expect(stated("day", day(20, "00:00:00.000Z"), "hour")).toEqual([
      "USG-006: instants with milliseconds",
      "USG-008: granularity hour",
    ]);
    expect(stated("day", day(20), "month")).toEqual(["USG-010: granularity month"]);
    expect(stated("month", day(20), "day")).toEqual(["USG-009: granularity day"]);
    expect(stated("day", day(20), "day")).toEqual(["USG-004: instants in UTC with the letter Z", "USG-009: granularity day"]);
  });
});

describe("usage-buckets", () => {
  /** The outcomes other than the requirements that pass. */
  const outcomes = (starts: readonly string[], draft: UsageDraft = {}): readonly string[] =>
    printJudge(usageBuckets, [
      makeUsage(
        starts.map((at) => ({ at, tokens: 1 })),
        draft,
      ),
    ]);
  const on = (requirement: string, starts: readonly string[], draft: UsageDraft = {}): readonly string[] =>
    outcomes(starts, draft)
      .filter((line) => line.startsWith(requirement))
      .map((line) => line.slice(requirement.length + 1));

  it("reports the offset of buckets that are aligned elsewhere than in UTC", () => {
    const advisory = (what: string, minutes: number, observed: string): string =>
      `advisory #1: the buckets begin where a ${what} begins at a constant offset of ${minutes} minutes from UTC [expected timestamps where a ${what} begins, in UTC] [observed ${observed}]`;
    expect(on("USG-017", [day(20, "18:30:00Z")])).toEqual([advisory("day", 330, "2026-11-20T18:30:00.000Z")]);
    const month = { granularity: "month", from: "2026-10-01T00:00:00Z" };
    expect(on("USG-017", ["2026-10-31T10:00:00Z"], month)).toEqual([advisory("month", 840, "2026-10-31T10:00:00.000Z")]);
    expect(on("USG-037", [day(20, "18:30:00Z")])).toEqual(["observed #1: time zone of days and months = 330 minutes from UTC"]);
    expect(on("USG-037", [day(20), day(21, "18:30:00Z")])).toEqual(["observed #1: time zone of days and months = no time zone"]);
    expect(on("USG-037", [day(20), day(21)])).toEqual(["observed #1: time zone of days and months = UTC"]);
    expect(on("USG-017", [day(20, "05:07:00Z")], { granularity: "hour" })).toEqual([
      "fail #1: a bucket does not begin where a hour begins [expected timestamps where a hour begins, in UTC] [observed 2026-11-20T05:07:00.000Z]",
    ]);
    expect(on("USG-037", [day(20)], { granularity: "hour" })).toEqual([]);
  });

  it("takes the two offsets of a zone with summer time for one zone, and for nothing else", () => {
    const months = { granularity: "month", from: "2026-09-07T00:00:00Z", to: "2026-11-22T00:00:00Z" };
    const berlin = ["2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z"];
    const summer = "at the two offsets of a zone with summer time, 60 and 120 minutes from UTC";
    expect(on("USG-017", berlin, months)).toEqual([
      `advisory #1: the buckets begin where a month begins ${summer} [expected timestamps where a month begins, in UTC] [observed 2026-09-30T22:00:00.000Z]`,
    ]);
    expect(on("USG-037", berlin, months)[0]).toContain("= 60 and 120 minutes from UTC");
    for (const second of ["2026-11-01T00:00:00Z", "2026-10-30T23:00:00Z", "2026-10-31T22:45:00Z"])
      expect(on("USG-017", [berlin[0]!, second], months)[0]).toContain("fail #1: a bucket does not begin where a month begins");
    const hours = [day(20, "05:15:00Z"), day(20, "06:45:00Z")];
    expect(on("USG-017", hours, { granularity: "hour" })[0]).toContain("fail #1");
  });

  it("lets a month of another zone last as long as there", () => {
    const since = (from: string): string | undefined =>
      on("USG-019", ["2026-09-30T22:00:00Z"], { granularity: "month", from, to: "2026-11-22T00:00:00Z" })[0];
    expect(since("2026-10-31T00:00:00Z")).toBe("pass #1");
    expect(since("2026-10-31T22:00:00Z")).toContain("fail #1");
  });

  it("takes the start of the window for the start of the bucket that it cuts, and of no other", () => {
    const window = { from: day(20, "09:17:00Z"), granularity: "hour" };
    const cut = day(20, "09:17:00Z");
    expect(on("USG-017", [cut, day(20, "10:00:00Z")], window)).toEqual(["pass #1"]);
    expect(on("USG-017", [cut, day(20, "10:17:00Z")], window)[0]).not.toBe("pass #1");
    expect(on("USG-017", [cut], window)).toEqual([]);
  });

  it("wants buckets to overlap the window, which may cut the first", () => {
    expect(on("USG-019", [day(21)])).toEqual(["pass #1"]);
    expect(on("USG-019", [day(20)], { from: day(20, "12:00:00Z") })).toEqual(["pass #1"]);
    for (const outside of [day(19), day(22)]) expect(on("USG-019", [outside])[0]).toContain("fail #1");
  });

  it("compares buckets with a window only where the request names one", () => {
    expect(on("USG-019", [day(25)])).toEqual([
      "fail #1: a bucket lies outside the requested window [expected buckets that overlap 2026-11-20T00:00:00.000Z to 2026-11-22T00:00:00.000Z] [observed a bucket at 2026-11-25T00:00:00.000Z]",
    ]);
    for (const window of [{ from: "soon" }, { to: "later" }, { from: day(23) }, { from: day(22) }]) {
      expect(on("USG-019", [day(25)], window)).toEqual([]);
    }
    for (const window of [{ from: "soon" }, { to: "later" }, { from: day(23) }]) {
      expect(on("USG-034", [day(21)], window)).toEqual([]);
    }
  });

  it("says whether buckets without usage are listed", () => {
    const left = ["observed #1: buckets without usage = they are left out"];
    expect(on("USG-034", [day(20), day(21)])).toEqual([]);
    expect(on("USG-034", [day(21), day(20)])).toEqual([]);
    expect(on("USG-034", [day(20)])).toEqual(left);
    expect(on("USG-034", [day(21)])).toEqual(left);
    const listed = (bucket: { tokens: number; cost: number }): readonly string[] =>
      printJudge(usageBuckets, [
        makeUsage([
          { at: day(20), ...bucket },
          { at: day(21), tokens: 1 },
        ]),
      ]).filter((line) => line.startsWith("USG-034"));
    expect(listed({ tokens: 0, cost: 0 })).toEqual(["USG-034 observed #1: buckets without usage = they are listed"]);
    expect(listed({ tokens: 0, cost: 1 })).toEqual([]);
    expect(listed({ tokens: 1, cost: 0 })).toEqual([]);
  });

  it.each([
    [[20], []],
    [[20, 21, 22], ["ascending"]],
    [[22, 21, 20], ["descending"]],
    [[20, 22, 21], ["neither ascending nor descending"]],
    [[22, 20, 21], ["neither ascending nor descending"]],
    [[20, 20], ["neither ascending nor descending"]],
  ] as const)("states the order of buckets at %j", (dates, order) => {
    const stated = on(
      "USG-035",
      dates.map((date) => day(date)),
    );
    expect(stated).toEqual(order.map((answer) => `observed #1: order of the buckets = ${answer}`));
  });
});

describe("usage-sums", () => {
  const on = (requirement: string, exchange: Exchange): readonly string[] =>
    printJudge(usageSums, [exchange]).filter((line) => line.startsWith(requirement));

  it("adds buckets up only where the window surely cuts none", () => {
    const buckets = [{ at: day(20), tokens: 5 }];
    expect(on("USG-028", makeUsage(buckets, { totalTokens: 4 }))).toEqual([
      "USG-028 fail #1: the tokens of the aggregate are not the sum over the buckets [expected 5] [observed 4]",
    ]);
    for (const draft of [
      { from: "soon" },
      { to: "later" },
      { granularity: "week" },
      { granularity: "week", from: "2026-11-01T00:00:00Z", to: "2026-12-01T00:00:00Z" },
      { from: day(22) },
      { from: day(20, "01:00:00Z") },
      { to: day(21, "01:00:00Z") },
    ]) {
      expect(on("USG-028", makeUsage(buckets, { totalTokens: 4, ...draft }))).toEqual([]);
    }
  });

  it("allows a millionth of a dollar for each bucket that shows anything", () => {
    const cost = (total: number, ...buckets: readonly (readonly [tokens: number, cost: number])[]): string | undefined =>
      on(
        "USG-029",
        makeUsage(
          buckets.map(([tokens, dollars], index) => ({ at: day(20 + index), tokens, cost: dollars })),
          { totalCost: total },
        ),
      )[0];
    expect(cost(0.000_002, [1, 0], [1, 0])).toBe("USG-029 pass #1");
    expect(cost(0.000_002_1, [1, 0], [1, 0])).toContain("[expected 0 within 0.000002] [observed 0.0000021]");
    expect(cost(0.000_002, [1, 0], [0, 0])).toContain("[expected 0 within 0.000001] [observed 0.000002]");
    expect(cost(0.000_002_8, [1, 0], [0, 0.000_001])).toBe("USG-029 pass #1");
  });
});

describe("usage-windows", () => {
  const caseId = "usage/windows";
  const { offset, left, right, omitted, futures, frames: names } = windowLabels;
  const [first, second, third] = names;
  const at = (seq: number, label: string, tokens: number, draft: UsageDraft = {}): Exchange =>
    makeUsage([{ at: day(21), tokens }], { caseId, label, seq, ...draft });
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(usageWindows, exchanges);
  const unreadable: UsageDraft = { received: { data: [{ timestamp: "x" }], aggregate: {} } };

  it("says what was found between the frames", () => {
    const message = "the same window gives another aggregate with a numeric offset";
    expect(outcomes(at(1, first, 10), at(2, offset, 9), at(3, second, 10))).toEqual([
      `USG-005 fail #2 #1 #3: ${message} [expected 10 tokens] [observed 9 tokens]`,
    ]);
    expect(outcomes(at(1, first, 10), at(2, offset, 20), at(3, second, 12))).toEqual([
      `USG-005 fail #2 #1 #3: ${message} [expected between 10 and 12 tokens, as reported just before and after] [observed 20 tokens]`,
    ]);
  });

  it("compares only what lies between two frames and can be read, where anything was used", () => {
    expect(outcomes(at(1, first, 0), at(2, offset, 0), at(3, second, 0))).toEqual([]);
    expect(outcomes(at(2, offset, 9), at(3, second, 10))).toEqual([]);
    expect(outcomes(at(1, first, 10), at(2, offset, 9))).toEqual([]);
    expect(outcomes(at(1, first, 10, unreadable), at(2, offset, 9), at(3, second, 10))).toEqual([]);
    expect(outcomes(at(1, first, 10), at(2, offset, 9), at(3, second, 10, unreadable))).toEqual([]);
    expect(outcomes(at(1, first, 10), at(2, offset, 9, unreadable), at(3, second, 10))).toEqual([]);
    expect(outcomes(at(1, first, 10), at(2, left, 9, unreadable), at(3, right, 9), at(4, second, 10))).toEqual([]);
    expect(outcomes(at(1, first, 10), at(2, left, 4), at(3, right, 6), at(4, second, 10))).toEqual(["USG-031 pass #2 #3 #1 #4"]);
    expect(outcomes(at(1, first, 10), at(2, right, 10), at(3, second, 10))).toEqual([]);
    const other = { caseId: "usage/other" };
    expect(outcomes(at(1, first, 10, other), at(2, offset, 9, other), at(3, second, 10, other))).toEqual([]);
  });

  it("takes the nearest frames, and a repeated case by itself", () => {
    expect(outcomes(at(1, first, 1), at(2, second, 10), at(3, offset, 10), at(4, third, 10), at(5, names[3], 99))).toEqual([
      "USG-005 pass #3 #2 #4",
    ]);
    expect(outcomes(at(1, first, 10), at(2, left, 4), at(3, second, 99), at(4, right, 6), at(5, third, 10))).toEqual([
      "USG-031 pass #2 #4 #1 #5",
    ]);
    expect(outcomes(at(1, first, 10), at(2, first, 10), at(3, offset, 10), at(4, second, 10))).toEqual(["USG-005 pass #3 #2 #4"]);
    const again = [at(4, first, 20), at(5, offset, 20), at(6, second, 20)];
    expect(outcomes(at(1, first, 10), at(2, offset, 10), at(3, second, 10), ...again)).toEqual([
      "USG-005 pass #2 #1 #3",
      "USG-005 pass #5 #4 #6",
    ]);
  });

  it("compares the buckets of a request without granularity with those of days", () => {
    const days = (seq: number, label: string, ...dates: readonly number[]): Exchange =>
      makeUsage(
        dates.map((date) => ({ at: day(date) })),
        { caseId, label, seq },
      );
    const frames = (before: readonly number[], after: readonly number[]): readonly Exchange[] => [
      days(1, first, ...before),
      days(3, second, ...after),
    ];
    expect(outcomes(...frames([20], [20, 21]), days(2, omitted, 20))).toEqual(["USG-011 pass #2 #1 #3"]);
    expect(outcomes(...frames([20], [20, 21]), days(2, omitted, 20, 22))).toEqual([
      'USG-011 fail #2 #1 #3: without a granularity the buckets are not those of days [expected ["2026-11-20T00:00:00.000Z","2026-11-21T00:00:00.000Z"]] [observed ["2026-11-20T00:00:00.000Z","2026-11-22T00:00:00.000Z"]]',
    ]);
    expect(outcomes(...frames([20, 21], [20, 21]), days(2, omitted, 20))[0]).toContain("USG-011 fail");
    expect(outcomes(...frames([20], []), days(2, omitted, 20))).toEqual([]);
    expect(outcomes(days(2, omitted, 20))).toEqual([]);
    expect(outcomes(days(1, first, 20), at(2, omitted, 1, unreadable), days(3, second, 20))).toEqual([]);
    expect(outcomes(at(1, first, 1, unreadable), days(2, omitted, 20), days(3, second, 20))).toEqual([]);
    expect(outcomes(days(1, first, 20), days(2, omitted, 20), at(3, second, 1, unreadable))).toEqual([]);
    const noList = { received: { data: 5, aggregate: {} } };
    expect(outcomes(at(1, first, 1, noList), days(2, omitted, 20), days(3, second, 20))).toEqual([]);
  });

  it("wants nothing in the future", () => {
    const later = (tokens: number | null, dollars: number | null, label: string = futures[0]): readonly string[] =>
      outcomes(at(1, label, 0, { received: { data: [], aggregate: { total_tokens: tokens, total_cost_usd: dollars } } }));
    expect(later(0, 0)).toEqual(["USG-038 pass #1"]);
    expect(later(1, 0)[0]).toContain("USG-038 fail #1");
    expect(later(0, 1)).toEqual([
      "USG-038 fail #1: a window in the future reports usage [expected 0 tokens and 0 dollars] [observed 0 tokens and 1 dollars]",
    ]);
    for (const label of futures) expect(later(1, 0, label)[0]).toContain("USG-038 fail #1");
    expect(later(null, 1)).toEqual([]);
    expect(later(1, null)).toEqual([]);
  });
});
