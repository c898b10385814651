import { describe, expect, it } from "vitest";
import { limitRefusals } from "../../../src/conformance/judges/limits/limit-refusals.ts";
import { cappedPurpose, exhaustedKey } from "../../../src/conformance/judges/spend/exhausted-key.ts";
import { quotaShape } from "../../../src/conformance/judges/spend/quota-shape.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Intent } from "../../../src/core/exchange/intent.ts";
import { type ExchangeDraft, makeExchange, wallMs } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";

const capped: Intent = { kind: "housekeeping", purpose: cappedPurpose };

describe("limit-refusals", () => {
  const limit: Intent = { kind: "limit", policy: "requests", phase: "low-limit" };
  const asked = (seq: number, status: number | null, remaining: string, draft: ExchangeDraft = {}): Exchange =>
    makeExchange({ seq, status, intent: limit, headers: [["x-ratelimit-remaining-requests", remaining]], ...draft });
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(limitRefusals, exchanges);
  const renamed = (status: number): readonly string[] =>
    ["RATE-019", "ERR-025"].map(
      (row) =>
        `${row} fail #2 #1: an exceeded request limit is answered ${status} instead of 429 [expected 429] [observed ${status}]`,
    );

  it("accuses a refusal by another name once the window is said to be empty", () => {
    expect(outcomes(asked(1, 200, "0"), asked(2, 403, "0"))).toEqual(renamed(403));
    expect(outcomes(asked(1, 200, "0"), asked(2, 503, "0"))).toEqual(renamed(503));
    expect(outcomes(asked(1, 200, "0"), asked(2, 403, "0", { sentMs: 120 }))).toEqual(renamed(403));
    expect(outcomes(asked(1, 200, "0", { path: "/v1/models?a" }), asked(2, 403, "0", { path: "/v1/models?b" }))).toEqual(
      renamed(403),
    );
  });

  it("accuses a window that serves more than its limit, and the body of a cap where nothing was spent", () => {
    const reset: readonly [string, string] = [
      "x-ratelimit-reset-requests",
      String(Math.ceil(makeExchange({}).timing.wallMs / 1000) + 60),
    ];
    const free = (seq: number, draft: ExchangeDraft = {}): Exchange =>
      makeExchange({
        seq,
        sentMs: 100 * seq,
        endpoint: "models",
        intent: limit,
        headers: [["x-ratelimit-limit-requests", "3"], ["x-ratelimit-remaining-requests", "0"], reset],
        ...draft,
      });
    const served = (count: number): readonly string[] =>
      outcomes(...Array.from({ length: count }, (_, index) => free(index + 1)));
    expect(served(4)).toEqual([]);
    expect(served(6)[0]).toContain("RATE-019 fail #1 #6: 6 requests are served in a window with a limit of 3");
    const quota = { error: "quota_exceeded", retry_after_ms: 1000, cap_type: "monthly_spend" };
    expect(outcomes(free(1), free(2, { status: 429, received: quota })).join()).toContain("SPEND-015 fail #2 #1");
    expect(outcomes(free(1), free(2, { status: 429, received: { error: { code: "x" } } })).join()).not.toContain("SPEND-015");
  });

  it.each([
    ["the window is not empty", [asked(1, 200, "1"), asked(2, 403, "0")]],
    ["the first answer came later", [asked(1, 200, "0"), asked(2, 403, "0", { sentMs: 119 })]],
    ["nothing was asked before", [asked(2, 403, "0")]],
    ["it was served", [asked(1, 200, "0"), asked(2, 200, "0")]],
    ["the credential is at fault", [asked(1, 200, "0"), asked(2, 401, "0")]],
    ["the account has to pay", [asked(1, 200, "0"), asked(2, 402, "0")]],
    ["nothing was answered", [asked(1, 200, "0"), asked(2, null, "0")]],
    ["the path is another spelling", [asked(1, 200, "0"), asked(2, 404, "0", { path: "/v1/models/" })]],
    ["it is no schedule for a limit", [asked(1, 200, "0"), asked(2, 403, "0", { intent: { kind: "valid" } })]],
    ["another key is asked for", [asked(1, 200, "0"), asked(2, 403, "0", { keyName: "secondary" })]],
    ["another operation is asked for", [asked(1, 200, "0"), asked(2, 403, "0", { endpoint: "usage", path: "/v1/models" })]],
    ["no key was sent", [asked(1, 200, "0"), asked(2, 403, "0", { keyName: null })]],
  ] as const)("accuses of nothing where %s", (_, exchanges) => {
    expect(outcomes(...exchanges)).toEqual([]);
  });

  it("takes trouble of the server for trouble where refusals have their name", () => {
    const refused = asked(3, 429, "0");
    expect(outcomes(asked(1, 200, "0"), asked(2, 500, "0"), refused)).toEqual(["ERR-025 pass #3", "RATE-019 pass #3"]);
    expect(outcomes(asked(1, 200, "0"), asked(2, 499, "0"), refused)[0]).toContain("RATE-019 fail #2 #1");
    const other = { ...refused, keyName: "secondary" };
    expect(outcomes(asked(1, 200, "0"), asked(2, 500, "0"), other)[0]).toContain("RATE-019 fail #2 #1");
  });

  it("goes by the time of sending", () => {
    expect(outcomes(asked(1, 403, "0", { sentMs: 500 }), asked(2, 200, "0", { sentMs: 100 }))[0]).toContain(
      "RATE-019 fail #1 #2",
    );
  });

  it("wants a JSON body where a stream was asked for", () => {
    const streamed = (draft: ExchangeDraft): readonly string[] =>
      outcomes(makeExchange({ endpoint: "chat", status: 429, sent: { stream: true }, ...draft }));
    const message = "STRM-012 fail #1: a refusal for a limit is no JSON body when the request asked for a stream";
    expect(streamed({})).toEqual(["ERR-025 pass #1", "STRM-012 pass #1"]);
    expect(streamed({ received: "no" })[1]).toBe(`${message} [expected 429 with a JSON body] [observed another body]`);
    expect(streamed({ stream: true })[1]).toBe(`${message} [expected 429 with a JSON body] [observed an event stream]`);
  });
});

describe("exhausted-key", () => {
  it("judges billable operations with a key at its cap", () => {
    const outcomes = (status: number, draft: ExchangeDraft = {}): readonly string[] =>
      printJudge(exhaustedKey, [makeExchange({ endpoint: "chat", label: "chat-again", status, intent: capped, ...draft })]);
    expect(outcomes(429)).toEqual(["SPEND-009 pass #1", "SPEND-001 pass #1", "SPEND-002 pass #1"]);
    expect(outcomes(429, { label: "else" })).toEqual(["SPEND-009 pass #1"]);
    expect(outcomes(429, { endpoint: "models" })).toEqual([]);
    expect(outcomes(429, { endpoint: null })).toEqual([]);
    expect(outcomes(429, { intent: { kind: "housekeeping", purpose: "else" } })).toEqual([]);
    expect(outcomes(400, { label: "else" })).toEqual(["SPEND-009 inconclusive #1: answered 400"]);
    const reported = "SPEND-009 fail #1: a key at its monthly cap is";
    expect(outcomes(200)[0]).toBe(`${reported} served on /v1/chat/completions [expected 429] [observed 200]`);
    for (const status of [401, 402, 403]) {
      expect(outcomes(status)[0]).toBe(
        `${reported} refused with another status on /v1/chat/completions [expected 429] [observed ${status}]`,
      );
    }
    // If others are served, a server error or a complaint about the request is an answer to the cap as well.
    const other = makeExchange({ endpoint: "chat", status: 200, seq: 9 });
    const beside = (status: number): readonly string[] =>
      printJudge(exhaustedKey, [makeExchange({ endpoint: "chat", label: "else", status, intent: capped }), other]);
    for (const status of [400, 404, 503]) expect(beside(status)[0]).toContain(`${reported} refused with another status`);
    expect(beside(429)).toEqual(["SPEND-009 pass #1"]);
  });

  it("keeps the waits of a cap to their word", () => {
    const refusal = (seq: number, sentMs: number, waitMs: number) =>
      makeExchange({
        seq,
        sentMs,
        endpoint: "usage",
        status: 429,
        intent: capped,
        received: { error: "quota_exceeded", cap_type: "monthly_spend", retry_after_ms: waitMs },
      });
    const outcomes = (waitMs: number, laterMs: number): readonly string[] =>
      printJudge(exhaustedKey, [refusal(1, 0, waitMs), refusal(2, laterMs, 3_600_000)]);
    expect(outcomes(0, 5000)[0]).toContain("SPEND-005 fail #1 #2: the wait that a reached cap announces leads nowhere");
    expect(outcomes(4000, 9000)[0]).toContain("SPEND-005 fail");
    expect(outcomes(9000, 5000)).toEqual([]);
  });
});

describe("quota-shape", () => {
  const dayMs = 86_400_000;
  const hourMs = 3_600_000;
  const quota = (wait: unknown, headers: ExchangeDraft["headers"] = [], sentMs = 0): readonly string[] =>
    printJudge(quotaShape, [
      makeExchange({
        status: 429,
        intent: capped,
        headers,
        sentMs,
        received: { error: "quota_exceeded", cap_type: "monthly_spend", retry_after_ms: wait },
      }),
    ]);
  /** Outcome on the wait at 9:30 and as much later. */
  const wait = (ms: number, retryAfter?: string, sentMs = 0): string | undefined =>
    quota(ms, retryAfter === undefined ? [] : [["retry-after", retryAfter]], sentMs)[4];

  it("takes a wait up to the longest cycle, and says how long a longer one is", () => {
    expect(wait(32 * dayMs)).toBe("SPEND-005 pass #1");
    expect(wait(32 * dayMs + 1)).toBe(
      "SPEND-005 fail #1: retry_after_ms lies beyond any billing cycle [expected at most 31 days] [observed 2764800001 ms (32 days)]",
    );
    expect(wait(0)).toBe("SPEND-005 pass #1");
    for (const unusable of ["60", 1.5, -1, null]) {
      expect(quota(unusable)).toEqual([
        "SPEND-015 pass #1",
        "SPEND-003 pass #1",
        `SPEND-004 fail #1: the refusal of a key at its cap has another retry_after_ms [expected an integer, not negative] [observed ${JSON.stringify(unusable)}]`,
        "SPEND-006 pass #1",
      ]);
    }
  });

  it("finds seconds by Retry-After", () => {
    const seconds = "SPEND-005 fail #1: retry_after_ms is in seconds, not in milliseconds [expected milliseconds] [observed";
    expect(wait(60, "60")).toBe(`${seconds} 60]`);
    expect(wait(60, "61")).toBe(`${seconds} 60]`);
    expect(wait(60, "62")).toBe("SPEND-005 pass #1");
    expect(wait(60, "58")).toBe("SPEND-005 pass #1");
    expect(wait(59, "59")).toBe("SPEND-005 pass #1");
    expect(wait(3600, "3")).toBe("SPEND-005 pass #1");
  });

  it("finds seconds by the clock of the receipt too, where that in the field Date is behind", () => {
    const untilMidnight = 14.5 * 3600;
    const dated = (behindSeconds: number, ms: number): string | undefined => {
      const plain = makeExchange({
        status: 429,
        intent: capped,
        received: { error: "quota_exceeded", cap_type: "monthly_spend", retry_after_ms: ms },
      });
      const headers = [["Date", new Date(wallMs - 1000 * behindSeconds).toUTCString()]] as const;
      const late = plain.response === null ? plain : { ...plain, response: { ...plain.response, headers } };
      return printJudge(quotaShape, [late])[4]?.slice(10, 14);
    };
    expect([dated(90, untilMidnight), dated(90, untilMidnight + 30), dated(90, untilMidnight + 90)]).toEqual([
      "fail",
      "pass",
      "fail",
    ]);
  });

  it("finds seconds by the midnight that they lead to", () => {
    const untilMidnight = 14.5 * 3600;
    const outcome = (ms: number, sentMs = 0): string | undefined => wait(ms, undefined, sentMs)?.slice(10, 14);
    expect([-3, -2, 2, 3].map((off) => outcome(untilMidnight + off))).toEqual(["pass", "fail", "fail", "pass"]);
    expect(outcome(hourMs, 22.5 * hourMs)).toBe("pass");
    expect(outcome(hourMs - 1, 22.5 * hourMs)).toBe("fail");
    // A minute before midnight 60,000 leads there in milliseconds, whatever else it may be.
    expect(wait(60_000, "60000", 14.5 * hourMs - 60_000)).toBe("SPEND-005 pass #1");
    expect(wait(60_000, "60000", 14.5 * hourMs - 63_000)).toContain("SPEND-005 fail");
    expect(wait(60_000, "60000", 14.5 * hourMs + 60_000)).toContain("SPEND-005 fail");
  });

  it("compares Retry-After with the wait", () => {
    const header = (value: string): string | undefined => quota(5000, [["retry-after", value]]).at(-1);
    expect(quota(5000).at(-1)).toBe("SPEND-016 observed #1 = retry_after_ms without Retry-After");
    expect(header("6")).toBe("SPEND-016 observed #1 = Retry-After agrees with retry_after_ms");
    expect(header("4")).toBe("SPEND-016 observed #1 = Retry-After agrees with retry_after_ms");
    expect(quota(500, [["retry-after", "soon"]]).at(-1)).toContain("SPEND-016 fail");
    for (const value of ["7", "soon"]) {
      expect(header(value)).toBe(
        `SPEND-016 fail #1: Retry-After and retry_after_ms disagree [expected about 5 seconds] [observed Retry-After: ${value}]`,
      );
    }
  });

  it("knows the quota members from those of a rate limit", () => {
    const outcomes = (received: unknown, intent: Intent = capped): string | undefined =>
      printJudge(quotaShape, [makeExchange({ status: 429, intent, received })])[0];
    expect(outcomes({ retry_after_ms: 5 })).toBe("SPEND-015 pass #1");
    expect(printJudge(quotaShape, [makeExchange({ status: 429, intent: capped, received: { retry_after_ms: "x" } })])).toEqual([
      "SPEND-015 pass #1",
      'SPEND-003 fail #1: the refusal of a key at its cap has no error [expected "quota_exceeded"] [observed no such member]',
      'SPEND-004 fail #1: the refusal of a key at its cap has another retry_after_ms [expected an integer, not negative] [observed "x"]',
      "SPEND-006 fail #1: the refusal of a key at its cap has no cap_type [expected a string] [observed no such member]",
    ]);
    expect(outcomes({ error: { code: "x" } })).toContain("a reached spend cap has the shape of a rate limit");
    const burst: Intent = { kind: "housekeeping", purpose: "exceed a burst limit" };
    expect(outcomes({ cap_type: "x" }, burst)).toContain("a burst limit has the shape of a spend cap");
    expect(outcomes({ cap_type: "x" }, { kind: "valid" })).toBe("SPEND-015 pass #1");
  });
});
