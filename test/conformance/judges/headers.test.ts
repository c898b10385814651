import { describe, expect, it } from "vitest";
import { invalidRequestsCount } from "../../../src/conformance/judges/headers/invalid-requests-count.ts";
import { rateLimitHeaderSeries } from "../../../src/conformance/judges/headers/rate-limit-header-series.ts";
import { rateLimitHeaderValues } from "../../../src/conformance/judges/headers/rate-limit-header-values.ts";
import { rateLimitHeadersPresent } from "../../../src/conformance/judges/headers/rate-limit-headers-present.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange, wallMs } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";

type Fields = NonNullable<ExchangeDraft["headers"]>;
const nowSeconds = wallMs / 1000;
const reset = "x-ratelimit-reset-requests";

describe("invalid-requests-count", () => {
  const label = String(nowSeconds + 60);
  const asked = (seq: number, status: number, remaining: string | null, draft: ExchangeDraft = {}, name = label): Exchange =>
    makeExchange({
      seq,
      endpoint: "chat",
      status,
      headers: [...(remaining === null ? [] : [["x-ratelimit-remaining-requests", remaining] as const]), [reset, name]],
      ...draft,
    });
  const served = [60, 59, 58, 57].map((remaining, index) => asked(index + 1, 200, String(remaining)));
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(invalidRequestsCount, exchanges);
  const counts = "RATE-035 observed #5 = a request answered 422 counts";

  it("reports the step of each", () => {
    expect(outcomes(...served, asked(5, 422, "56"))).toEqual([counts]);
    expect(outcomes(...served, asked(5, 422, "57"))).toEqual(["RATE-035 observed #5 = a request answered 422 does not count"]);
    expect(outcomes(...served, asked(5, 422, "55"))).toEqual([]);
    expect(outcomes(...served, asked(5, 422, "58"))).toEqual([]);
  });

  it("compares neighbours in time of one key and one operation that do not overlap", () => {
    const wrong = asked(5, 422, "56");
    expect(outcomes(wrong, ...served.toReversed())).toEqual([counts]);
    expect(outcomes({ ...wrong, seq: 0 }, ...served)).toEqual(["RATE-035 observed #0 = a request answered 422 counts"]);
    expect(outcomes(...served, asked(5, 422, "56", { sentMs: 420 }))).toEqual([counts]);
    expect(outcomes(...served, asked(5, 422, "56", { sentMs: 419 }))).toEqual([]);
    const long = { ...served[3]!, timing: { ...served[3]!.timing, endMs: 560 } };
    expect(outcomes(...served.slice(0, 3), long, wrong, asked(6, 422, "55"))).toEqual([
      "RATE-035 observed #6 = a request answered 422 counts",
    ]);
    for (const draft of [{ keyName: null }, { endpoint: null }, { stage: "limits" as const }]) {
      const others = [200, 200, 200, 200, 422].map((status, index) => asked(index + 1, status, String(60 - index), draft));
      expect(outcomes(...others)).toEqual([]);
    }
    expect(outcomes(...served, asked(5, 422, "56", { endpoint: "embeddings" }))).toEqual([]);
  });

  it("compares only answers that show what remains, of one window", () => {
    expect(outcomes(...served, asked(5, 422, "56", {}, String(nowSeconds + 61)))).toEqual([]);
    expect(outcomes(...served, asked(5, 422, null))).toEqual([]);
    expect(outcomes(...served, asked(5, 422, "56"), asked(6, 200, null))).toEqual([counts]);
    expect(
      outcomes(...served, asked(5, 422, "56"), asked(6, 200, "55", { headers: [["x-ratelimit-remaining-requests", "55"]] })),
    ).toEqual([counts]);
    expect(outcomes(...served, asked(5, 200, null), asked(6, 422, "56"))).toEqual([]);
    expect(outcomes(...served, asked(5, 422, "0", { status: null }), asked(6, 422, "56"))).toEqual([]);
    expect(outcomes(asked(0, 200, null, { sentMs: 0 }), ...served, asked(5, 422, "56"))).toEqual([counts]);
    const unnamed = [...served, asked(5, 422, "56")].map((exchange) => ({
      ...exchange,
      response: { ...exchange.response!, headers: exchange.response!.headers.filter(([name]) => name !== reset) },
    }));
    expect(outcomes(...unnamed)).toEqual([]);
  });
});

describe("rate-limit-header-series", () => {
  const seen = (seq: number, fields: Readonly<Record<string, string | number>>, draft: ExchangeDraft = {}): Exchange =>
    makeExchange({
      seq,
      headers: Object.entries(fields).map(([name, value]) => [`x-ratelimit-${name}-requests`, String(value)]),
      ...draft,
    });
  const keys = { primary: { secret: "", id: "key 1", createdAtMs: null }, other: { secret: "", id: null, createdAtMs: null } };
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] =>
    printJudge(rateLimitHeaderSeries, exchanges, { keys });
  const limits = (...values: readonly number[]): readonly Exchange[] => values.map((limit, index) => seen(index + 1, { limit }));
  const changes =
    "x-ratelimit-limit-requests changes during the run although no settings were changed (primary models) [expected one value for one key and operation]";

  it("reports limits that change, five answers and eight values of them", () => {
    expect(outcomes(...limits(60, 60))).toEqual(["RATE-012 pass #1"]);
    expect(outcomes(...limits(60, 30, 60))).toEqual([`RATE-012 fail #1 #2: ${changes} [observed 60, 30]`]);
    expect(outcomes(...limits(1, 2, 3, 4, 5, 6, 7, 8, 9))).toEqual([
      `RATE-012 fail #1 #2 #3 #4 #5: ${changes} [observed 1, 2, 3, 4, 5, 6, 7, 8]`,
    ]);
    expect(outcomes(seen(1, { limit: 60 }, { sentMs: 500 }), seen(2, { limit: 30 }, { sentMs: 100 }))).toEqual([
      `RATE-012 fail #2 #1: ${changes} [observed 30, 60]`,
    ]);
  });

  it("compares answers to one valid key on one operation", () => {
    for (const draft of [
      { endpoint: "usage" },
      { endpoint: null },
      { keyName: "other" },
      { keyName: null },
      { status: 401 },
      { status: null },
      { intent: { kind: "limit", policy: "requests", phase: "F-spelling" } },
      { intent: { kind: "limit", policy: "requests", phase: "F-identity" } },
    ] satisfies readonly ExchangeDraft[]) {
      expect(outcomes(seen(1, { limit: 60 }), seen(2, { limit: 30 }, draft)).filter((line) => line.includes("fail"))).toEqual([]);
    }
  });

  it("takes a limit for changed by whoever may have changed the settings of the key", () => {
    const patched = (path: string, draft: ExchangeDraft = {}): readonly string[] =>
      outcomes(...limits(60, 30), makeExchange({ seq: 9, endpoint: "key-settings", path, ...draft }));
    expect(patched("/v1/keys/key%201")).toEqual([]);
    expect(patched("/v1/keys/key%201", { status: null })).toEqual([]);
    expect(patched("/v1/keys/key%202")[0]).toContain("RATE-012 fail");
    expect(patched("/v1/keys/key%201", { endpoint: null })[0]).toContain("RATE-012 fail");
    const spaced = { ...keys, "team key": { secret: "", id: "key 7", createdAtMs: null } };
    const own = [60, 30].map((limit, index) => seen(index + 1, { limit }, { keyName: "team key" }));
    const change = makeExchange({ seq: 9, endpoint: "key-settings", path: "/v1/keys/key%207" });
    expect(printJudge(rateLimitHeaderSeries, [...own, change], { keys: spaced })).toEqual([]);
    const other = [60, 30].map((limit, index) => seen(index + 1, { limit }, { keyName: "other" }));
    expect(outcomes(...other, makeExchange({ seq: 9, endpoint: "key-settings", path: "/v1/keys/null" }))[0]).toContain("fail");
  });

  it("lets a reset move back by a second, and no more", () => {
    const resets = (...seconds: readonly number[]): readonly string[] =>
      outcomes(...seconds.map((value, index) => seen(index + 1, { reset: value })));
    expect(resets(nowSeconds + 60, nowSeconds + 59)).toEqual(["RATE-038 pass #2 #1"]);
    expect(resets(nowSeconds + 60, nowSeconds + 58)).toEqual([
      `RATE-038 fail #2 #1: x-ratelimit-reset-requests moves back in time (primary models) [expected an instant not before ${nowSeconds + 60}] [observed ${nowSeconds + 58}]`,
    ]);
    expect(resets(nowSeconds + 60, (nowSeconds + 30) * 1000)).toEqual([]);
    expect(resets(60, 30)).toEqual([]);
  });

  it("compares no resets where the clock of the target itself moved back", () => {
    const dated = (seq: number, ahead: number): Exchange => seen(seq, { reset: nowSeconds + ahead }, { sentMs: ahead * 1000 });
    const hourLater = dated(1, 3600);
    const reset = { ...dated(2, 0), timing: { ...dated(2, 0).timing, sentMs: 3_700_000, endMs: 3_700_020 } };
    expect(outcomes(hourLater, reset)).toEqual([]);
  });

  it("compares resets of answers that did not overlap", () => {
    const at = (seq: number, ahead: number, sentMs: number, endMs: number): Exchange =>
      seen(seq, { reset: nowSeconds + ahead }, { sentMs, endMs });
    expect(outcomes(at(1, 60, 100, 200), at(2, 50, 199, 300))).toEqual([]);
    expect(outcomes(at(1, 60, 100, 200), at(2, 50, 200, 300))[0]).toContain("RATE-038 fail #2 #1");
    expect(outcomes(at(1, 60, 100, 200), at(2, 50, 150, 300), at(3, 60, 250, 350))).toEqual(["RATE-038 pass #3 #1"]);
  });
});

describe("rate-limit-header-values", () => {
  const outcomes = (...headers: Fields): readonly string[] =>
    printJudge(rateLimitHeaderValues, [makeExchange({ sentMs: 0, headers })]);
  /** The report on a reset at 9:30:00: the outcome and the problem. */
  const reported = (text: string): string =>
    (outcomes([reset, text])[0] ?? "").replace("RATE-010 ", "").replace(" #1: x-ratelimit-reset-requests", "").split(" [")[0] ??
    "";
  const [notNumber, isDuration] = ["fail is not a number", "fail is a duration, not an instant"];

  it.each([
    [`${nowSeconds + 60}`, "pass #1"],
    [` ${nowSeconds + 60} `, "pass #1"],
    [`${nowSeconds - 2}`, "pass #1"],
    [`${nowSeconds - 3}`, "fail lies in the past"],
    [`${nowSeconds + 86_400}`, "pass #1"],
    [`${nowSeconds + 86_401}`, "fail lies more than a day ahead"],
    [`${nowSeconds + 60}.25`, "advisory has a fraction of a second"],
    ["999999999", "fail is a number of seconds to wait, not an instant"],
    ["1000000000", "fail lies in the past"],
    ["99999999999", "fail lies more than a day ahead"],
    ["100000000000", "fail is in milliseconds, not in seconds"],
    ["99999999999999980", "fail is in milliseconds, not in seconds"],
    ["100000000000000000", "fail is in microseconds or finer, not in seconds"],
    ["1m30s", isDuration],
    ["12.25s", isDuration],
    ["1d2h3m", isDuration],
    ["250ms", isDuration],
    ["in 90s", notNumber],
    ["90s.", notNumber],
    ["2026-11-21T09:31:00Z", "fail is an ISO 8601 instant, not Unix seconds"],
    ["at 2026-11-21T09:31:00Z", notNumber],
    ["Sat, 21 Nov 2026 09:31:00 GMT", "fail is an HTTP date, not Unix seconds"],
    ["on Sat, 21 Nov", notNumber],
    ["-60", "fail is negative"],
    ["x-60", notNumber],
    ["", notNumber],
  ])("reads a reset of %j", (text, outcome) => {
    expect(reported(text)).toBe(outcome);
  });

  it("calls no reset past that lay ahead when the request left", () => {
    const answeredAfter = (ms: number): readonly string[] => {
      const prompt = makeExchange({ sentMs: 0, headers: [[reset, `${nowSeconds - 5}`]] });
      const timing = { ...prompt.timing, wallMs: prompt.timing.wallMs - ms, sentMs: -ms, headersMs: 0 };
      return printJudge(rateLimitHeaderValues, [{ ...prompt, timing }]);
    };
    expect(answeredAfter(3000)).toEqual(["RATE-010 pass #1"]);
    expect(answeredAfter(2900)[0]).toContain("RATE-010 fail #1: x-ratelimit-reset-requests lies in the past");
  });

  /** All six fields with this reset of the requests, so that the judge may settle them at a glance. */
  const full = (text: string, limit = "60"): Fields =>
    ["requests", "tokens"].flatMap((unit): Fields => [
      [`x-ratelimit-limit-${unit}`, limit],
      [`x-ratelimit-remaining-${unit}`, "0"],
      [`x-ratelimit-reset-${unit}`, unit === "requests" ? text : `${nowSeconds}`],
    ]);

  it.each([
    [full(`${nowSeconds - 2}`), []],
    [full(`${nowSeconds - 3}`), ["RATE-010"]],
    [full(`${nowSeconds + 86_400}`), []],
    [full(`${nowSeconds + 86_401}`), ["RATE-010"]],
    [full(""), ["RATE-010"]],
    [full(`${nowSeconds}`, "-1"), ["RATE-007"]],
    [full(`${nowSeconds}`, "1a"), ["RATE-007"]],
    [full(`${nowSeconds}`, "9".repeat(15)), []],
    [full(`${nowSeconds}`, "9".repeat(16)), []],
    [full(`${nowSeconds}`).slice(1), []],
    [[...full(`${nowSeconds}`), [reset, `${nowSeconds}`] as const], ["RATE-010"]],
  ] as const)("finds the fields that are not as they should be (%#)", (headers, violated) => {
    const lines = printJudge(rateLimitHeaderValues, [makeExchange({ sentMs: 0, headers })]);
    expect(lines.length).toBeGreaterThan(0);
    const wrong = lines.filter((line) => !line.includes(" pass ")).map((line) => line.split(" ")[0]);
    expect([...new Set(wrong)]).toEqual(violated);
  });

  it("shows what is sent more than once, and says nothing of fields that are missing", () => {
    expect(outcomes()).toEqual([]);
    const limit = "x-ratelimit-limit-requests";
    expect(outcomes([reset, "1"], [reset, "2"], [limit, "1"], [limit, "2"])).toEqual([
      `RATE-007 fail #1: ${limit} is sent more than once [expected one decimal integer, 0 or more] [observed ${limit}: 1 | 2]`,
      `RATE-010 fail #1: ${reset} is sent more than once [expected a Unix time in whole seconds between ${nowSeconds - 2} and ${nowSeconds + 86_400}] [observed ${reset}: 1 | 2]`,
    ]);
    expect(outcomes([limit, "many"])[0]).toContain(`${limit} is not a number [expected`);
    expect(outcomes([limit, "5"], ["x-ratelimit-remaining-requests", "6"])).toEqual([
      "RATE-007 pass #1",
      "RATE-007 pass #1",
      "RATE-008 fail #1: more requests remain than the limit allows [expected x-ratelimit-remaining-requests at most 5] [observed x-ratelimit-remaining-requests: 6]",
    ]);
  });
});

describe("rate-limit-headers-present", () => {
  const names = ["limit", "remaining", "reset"].flatMap((member) => [
    `x-ratelimit-${member}-requests`,
    `x-ratelimit-${member}-tokens`,
  ]);
  const outcomes = (headers: Fields, draft: ExchangeDraft = {}): readonly string[] =>
    printJudge(rateLimitHeadersPresent, [makeExchange({ endpoint: "chat", headers, ...draft })]);
  const all: Fields = names.map((name) => [name, "1"]);
  const failing = (lines: readonly string[]): readonly string[] => lines.filter((line) => !line.includes(" pass "));

  it("names the missing fields, one by one and all together", () => {
    const place = "200 to POST /v1/chat/completions has no";
    const ordered = ["requests", "tokens"].flatMap((unit) =>
      ["limit", "remaining", "reset"].map((member) => `x-ratelimit-${member}-${unit}`),
    );
    expect(outcomes([])).toEqual([
      ...ordered.map(
        (name, index) => `RATE-00${index + 1} fail #1: ${place} ${name} [expected the field ${name}] [observed no such field]`,
      ),
      `SVC-011 fail #1: 200 to POST /v1/chat/completions has none of the six x-ratelimit fields [expected the fields ${ordered.join(", ")}] [observed no such field]`,
    ]);
    expect(failing(outcomes(all.slice(1)))).toHaveLength(1);
    expect(failing(outcomes(all))).toEqual([]);
  });

  it("shows what a target sends instead", () => {
    const [line = ""] = failing(outcomes([...all.slice(1), ["ratelimit-limit", "60"]]));
    expect(line).toContain("[observed instead ratelimit-limit: 60]");
    const [first = "", , third = ""] = outcomes([
      ["ratelimit-limit", "60"],
      ["ratelimit-reset", "5"],
    ]);
    expect([first, third].map((one) => one.split(" [observed ")[1])).toEqual([
      "instead ratelimit-limit: 60]",
      "instead ratelimit-reset: 5]",
    ]);
    const last = outcomes([
      ["ratelimit-limit", "60"],
      ["ratelimit-reset", "5"],
    ]).at(-1);
    expect(last).toContain("[observed instead ratelimit-limit: 60, ratelimit-reset: 5]");
  });

  it("repeats the demand for streams, refusals and operations without tokens", () => {
    const rows = (draft: ExchangeDraft): readonly string[] =>
      outcomes(all, draft)
        .slice(7)
        .map((line) => line.split(" ")[0] ?? "");
    expect(rows({})).toEqual([]);
    expect(rows({ stream: true })).toEqual(["STRM-009"]);
    expect(rows({ endpoint: "models" })).toEqual(["RATE-037"]);
    expect(rows({ endpoint: null })).toEqual([]);
    expect(rows({ status: 401, endpoint: "models" })).toEqual([]);
    expect(rows({ status: 429 })).toEqual(["BURST-022"]);
    expect(rows({ status: 429, received: { error: "quota_exceeded" } })).toEqual(["SPEND-017"]);
    const usedUp = { ...makeExchange({ endpoint: "chat", status: 429, headers: all }) };
    const headers = usedUp.response!.headers.map(([name, value]): readonly [string, string] => [
      name,
      name === "x-ratelimit-remaining-requests" ? "0" : value,
    ]);
    const refused = { ...usedUp, response: { ...usedUp.response!, headers } };
    expect(printJudge(rateLimitHeadersPresent, [refused]).at(-1)).toBe("RATE-033 pass #1");
    expect(failing(outcomes(all.slice(1), { endpoint: "models" })).map((line) => line.split(":")[0])).toEqual([
      "RATE-001 fail #1",
    ]);
    expect(failing(outcomes(all.slice(0, 5), { endpoint: "models" })).map((line) => line.split(":")[0])).toEqual([
      "RATE-006 fail #1",
      "RATE-037 fail #1",
    ]);
    expect(failing(outcomes([], { stream: true }))[0]).toContain(": the streamed 200 to POST /v1/chat/completions has no");
  });
});
