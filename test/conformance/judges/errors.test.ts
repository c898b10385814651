import { describe, expect, it } from "vitest";
import { errorShape } from "../../../src/conformance/judges/errors/error-shape.ts";
import { noInternals } from "../../../src/conformance/judges/errors/no-internals.ts";
import { retryHints } from "../../../src/conformance/judges/errors/retry-hints.ts";
import { stableErrorCodes } from "../../../src/conformance/judges/errors/stable-error-codes.ts";
import { namesField, validationDetails } from "../../../src/conformance/judges/errors/validation-details.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Intent } from "../../../src/core/exchange/intent.ts";
import { type ExchangeDraft, makeExchange, wallMs } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";

const violates: Intent = { kind: "violates", requirement: "CHAT-002", condition: "out-of-range", field: "n", twin: null };

function cut(exchange: Exchange): Exchange {
  const { response } = exchange;
  return { ...exchange, response: { ...response!, body: { ...response!.body!, truncated: true } } };
}

describe("stable-error-codes", () => {
  const refused = (seq: number, code: unknown, more: ExchangeDraft & { type?: string } = {}): Exchange => {
    const exchange = makeExchange({
      seq,
      status: 422,
      intent: violates,
      endpoint: "chat",
      received: { error: { code } },
      ...more,
    });
    return { ...exchange, request: { ...exchange.request, headers: [["content-type", more.type ?? "application/json"]] } };
  };
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(stableErrorCodes, exchanges);

  it("accuses the very same request of several codes", () => {
    expect(outcomes(refused(1, "a"), refused(2, "a"), refused(3, "b"))).toEqual([
      "ERR-003 fail #1 #3: the same wrong request is answered with several codes: POST /v1/chat/completions [expected one code for one condition] [observed a, b]",
    ]);
    expect(outcomes(refused(1, "a"), refused(2, "b", { type: "application/json; charset=utf-8" })).length).toBe(1);
    expect(outcomes(refused(1, "a", { status: 400 }), refused(2, "b", { status: 400 }))[0]).toContain("ERR-003 fail #1 #2");
  });

  it("shows five exchanges and six codes at most", () => {
    const many = ["a", "b", "c", "d", "e", "f", "g"].map((code, index) => refused(index + 1, code));
    expect(outcomes(...many)).toEqual([
      "ERR-003 fail #1 #2 #3 #4 #5: the same wrong request is answered with several codes: POST /v1/chat/completions [expected one code for one condition] [observed a, b, c, d, e, f]",
    ]);
  });

  it("does not compare other requests, other statuses, or answers without a code", () => {
    const first = refused(1, "a");
    expect(outcomes(first, refused(2, null))).toEqual(["ERR-003 pass #1"]);
    expect(outcomes(first, refused(2, "b", { type: "application/xml" }))).toEqual(["ERR-003 pass #1", "ERR-003 pass #2"]);
    expect(outcomes(first, refused(2, "b", { status: 400 }))).toEqual(["ERR-003 pass #1", "ERR-003 pass #2"]);
    expect(outcomes(first, refused(2, "b", { path: "/v1/x" }))).toEqual(["ERR-003 pass #1", "ERR-003 pass #2"]);
    expect(outcomes(first, refused(2, "b", { intent: { kind: "valid" } }))).toEqual(["ERR-003 pass #1"]);
    expect(outcomes(first, refused(2, "b", { status: 399 }))).toEqual(["ERR-003 pass #1"]);
  });
});

describe("error-shape", () => {
  it("names a problem document with its type", () => {
    const received = { type: "https://iana.org/assignments/http-problem-types#quota-exceeded", title: "Quota exceeded" };
    const said = printJudge(errorShape, [makeExchange({ status: 429, received: { ...received, "violated-policies": ["day"] } })]);
    expect(said[0]).toContain("a problem document (RFC 9457) of the type");
    expect(said[0]).toContain("#quota-exceeded");
    expect(printJudge(errorShape, [makeExchange({ status: 429, received: { title: "no" } })])[0]).toContain(
      "there is no member error [",
    );
  });

  it("says of a body that was cut at the capture limit only that it was not read", () => {
    expect(printJudge(errorShape, [cut(makeExchange({ status: 422, received: '{"err' }))])).toEqual([
      "ERR-001 inconclusive #1: 422 to GET /v1/models was not read: a body of 5 bytes is longer than what is kept of one",
    ]);
  });

  it("shows a body that cannot be shown as what it is", () => {
    const expected = '[expected an object with error.code, or error with the value "quota_exceeded"]';
    const problem = "422 to GET /v1/models: the body of the error is not a JSON object";
    expect(printJudge(errorShape, [makeExchange({ status: 422, received: "" })])).toEqual([
      `ERR-001 fail #1: ${problem} ${expected} [observed 422, application/json, an empty body]`,
    ]);
    expect(printJudge(errorShape, [makeExchange({ status: 422, receivedBytes: Uint8Array.of(255, 254, 0) })])).toEqual([
      `ERR-001 fail #1: ${problem} ${expected} [observed 422, application/json, 3 bytes: ff fe 00]`,
    ]);
  });

  it("knows the quota shape by any of its members", () => {
    const limited = (received: unknown): readonly string[] =>
      printJudge(errorShape, [makeExchange({ status: 429, received })]).filter((line) => /^ERR-0(?:10|38)/.test(line));
    expect(limited({ error: "quota_exceeded" })).toEqual(["ERR-010 pass #1"]);
    expect(limited({ error: { code: "x" } })).toEqual(["ERR-038 pass #1"]);
    for (const member of ["cap_type", "retry_after_ms"]) {
      expect(limited({ error: { code: "x" }, [member]: 5 })[0]).toContain("ERR-010 fail #1");
    }
  });
});

describe("no-internals", () => {
  const shows = (received: unknown): string | undefined =>
    / shows (.+?) \[/.exec(printJudge(noInternals, [makeExchange({ status: 500, received })])[0] ?? "")?.[1];

  it.each([
    ['File "app.py", line 12', "a Python frame"],
    ['see File "/x/a b.py", line 1', "a Python frame"],
    ["/home/ann/app.js", "a path of the machine"],
    ["/home/a.js", "a path of the machine"],
    [String.raw`C:\Users\ann`, "a path of the machine"],
    ['File "app.py", line x', undefined],
    ['File "app.rb", line 12', undefined],
    ['ProFile "app.py", line 12', undefined],
    ["/home/", undefined],
    ["/home/ann", undefined],
  ])("takes %s for %s, in a text and in JSON", (text, what) => {
    expect(shows({ error: { code: "x", message: text } })).toBe(what);
    expect(shows(`Error: ${text}`)).toBe(what);
  });

  it("reads texts only, and shows no more than a line of what it found", () => {
    expect(printJudge(noInternals, [makeExchange({ status: 500, receivedBytes: Uint8Array.of(255) })])).toEqual([]);
    const path = `/usr/lib/${"p".repeat(200)}.py`;
    expect(printJudge(noInternals, [makeExchange({ status: 400, received: { error: path } })])).toEqual([
      `ERR-036 fail #1: 400 to GET /v1/models shows a path of the machine [expected an error without internals of the service] [observed ${path.slice(0, 120)}]`,
    ]);
    expect(printJudge(noInternals, [makeExchange({ status: 399, received: { error: path } })])).toEqual([]);
  });
});

describe("retry-hints", () => {
  /** The wait is counted from the Date field, which `makeExchange` sets to 100 ms after the full half hour. */
  const nowSeconds = wallMs / 1000;
  const window = (reset: string): readonly (readonly [string, string])[] => [
    ["x-ratelimit-remaining-requests", "0"],
    ["x-ratelimit-remaining-tokens", "9"],
    ["x-ratelimit-reset-requests", reset],
  ];
  const limited = (bodySeconds: number | null, headers: readonly (readonly [string, string])[]): readonly string[] => {
    const received = bodySeconds === null ? { error: { code: "x" } } : { error: { code: "x" }, "retry-after": bodySeconds };
    return printJudge(retryHints, [makeExchange({ status: 429, headers, received })]).map((line) => line.split(" #")[0] ?? "");
  };

  it.each([
    [29, "fail"],
    [30, "pass"],
    [120, "pass"],
    [121, "fail"],
  ] as const)("counts %i seconds on a 503 as %s", (seconds, outcome) => {
    const exchange = makeExchange({ status: 503, headers: [["retry-after", String(seconds)]] });
    expect(printJudge(retryHints, [exchange]).map((line) => line.split(" #")[0])).toEqual([
      "ERR-031 pass",
      "ERR-030 pass",
      `ERR-032 ${outcome}`,
    ]);
  });

  it.each([
    ["seconds", nowSeconds + 45],
    ["milliseconds", 1000 * (nowSeconds + 45)],
  ])("takes an instant in Unix %s for no wait", (_, value) => {
    const exchange = makeExchange({ status: 503, headers: [["retry-after", String(Math.round(value))]] });
    expect(printJudge(retryHints, [exchange])[0]).toMatch(/^ERR-031 fail #1: Retry-After holds an instant in Unix time/);
  });

  it("lets field and body differ by a second", () => {
    expect(limited(3, [["retry-after", "4"]])).toContain("RATE-022 pass");
    expect(limited(3, [["retry-after", "5"]])).toContain("RATE-022 fail");
  });

  it("lets a date differ by two, since it is a whole second and so is the Date that it counts from", () => {
    const inSeconds = (wait: number): string => new Date(1000 * (Math.floor(nowSeconds) + wait)).toUTCString();
    expect(
      limited(3, [
        ["date", inSeconds(0)],
        ["retry-after", inSeconds(5)],
      ]),
    ).toContain("RATE-022 pass");
    expect(
      limited(3, [
        ["date", inSeconds(0)],
        ["retry-after", inSeconds(7)],
      ]),
    ).toContain("RATE-022 fail");
  });

  it("lets the wait end before the reset, as that of a bucket does, and a little after it", () => {
    expect(limited(32, window(String(nowSeconds + 30)))).toContain("RATE-023 pass");
    expect(limited(62, window(String(nowSeconds + 30)))).toContain("RATE-023 fail");
    expect(limited(28, window(String(nowSeconds + 30)))).toContain("RATE-023 pass");
    expect(limited(1, window(String(nowSeconds + 30)))).toContain("RATE-023 pass");
  });

  it("compares nothing with a reset that is not reported, or reported in another unit", () => {
    expect(limited(30, window(String((nowSeconds + 300) * 1000))).filter((line) => line.startsWith("RATE-023"))).toEqual([]);
    expect(limited(null, window(String(nowSeconds + 30))).filter((line) => line.startsWith("RATE-023"))).toEqual([]);
    expect(limited(30, window("60s")).filter((line) => line.startsWith("RATE-023"))).toEqual([]);
  });
});

describe("validation-details", () => {
  it("says nothing about a body that was cut at the capture limit", () => {
    expect(printJudge(validationDetails, [cut(makeExchange({ status: 422, received: '{"err' }))])).toEqual([]);
  });

  /** Outcomes on whether an entry states the format. */
  const saysFormat = (entry: unknown): string | undefined =>
    printJudge(validationDetails, [
      makeExchange({ endpoint: "chat", status: 422, received: { error: { code: "x", details: [entry] } } }),
    ])
      .find((line) => line.startsWith("ERR-007"))
      ?.slice(8, 12);

  it.each<unknown>([
    { n: "at least 1" },
    { n: "at least 1", value: 0 },
    { field: null, expected: "at least 1" },
    { field: "n", expected: "at least 1" },
    { n: { minimum: 1 } },
    ["n", "at least 1"],
    "n must be at least 1",
  ])("finds what is expected in %j", (entry) => {
    expect(saysFormat(entry)).toBe("pass");
  });

  it.each<unknown>([
    { field: "n" },
    { field: "n", value: 0 },
    { param: "n" },
    { parameter: "n" },
    { path: "n" },
    { loc: ["body", "n"] },
    { name: "n" },
    { property: "n" },
    { pointer: "/n" },
    { instancePath: "/n" },
    { key: "n" },
    { attribute: "n" },
    { source: { pointer: "/n" } },
    { n: null },
    { n: 1, m: 2 },
    { n: {} },
    { n: " " },
    ["n", 1],
    ["n"],
    " n ",
    null,
    7,
    true,
  ])("misses what is expected in %j", (entry) => {
    expect(saysFormat(entry)).toBe("fail");
  });

  it("finds the last name of a path as a whole word", () => {
    expect(namesField({ field: "content" }, "messages.0.content")).toBe(true);
    expect(namesField({ field: "messages" }, "messages.0.content")).toBe(false);
    expect(namesField({ field: "messages.10" }, "messages.10")).toBe(true);
    expect(namesField({ field: "10" }, "messages.10")).toBe(false);
    expect(namesField({ field: "x" }, "x.12")).toBe(true);
    expect(namesField({ field: "v2" }, "a.v2")).toBe(true);
    expect(namesField({ field: "a" }, "a.v2")).toBe(false);
    expect(namesField({ field: "2d" }, "a.2d")).toBe(true);
    expect(namesField({ field: "n_max" }, "n")).toBe(false);
    expect(namesField({ field: "an" }, "n")).toBe(false);
    expect(namesField("n must be less", "n")).toBe(true);
    expect(namesField({ field: "7" }, "7")).toBe(true);
    expect(namesField({ field: "a+b" }, "a+b")).toBe(true);
    expect(namesField({ field: "aab" }, "a+b")).toBe(false);
  });
});
