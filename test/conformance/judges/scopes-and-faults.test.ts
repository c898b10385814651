import { describe, expect, it } from "vitest";
import { blockedAccount, cappedPurpose } from "../../../src/conformance/judges/faults/blocked-account.ts";
import { freshKey, freshPurpose } from "../../../src/conformance/judges/faults/fresh-key.ts";
import { serverErrors } from "../../../src/conformance/judges/faults/server-errors.ts";
import { anonymousPurpose, pathAccess } from "../../../src/conformance/judges/scopes/path-access.ts";
import {
  readingPurpose,
  scopedPurpose,
  scopeRefusals,
  unscopedPurpose,
} from "../../../src/conformance/judges/scopes/scope-refusals.ts";
import { judgeExchanges } from "../../../src/conformance/verdict/judge-exchanges.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Intent } from "../../../src/core/exchange/intent.ts";
import { type ExchangeDraft, makeExchange, wallMs } from "../../make/exchanges/make-exchange.ts";
import { contextWith } from "../../suites/judge-with.ts";
import { printJudge } from "./print-occurrences.ts";

const violates = (condition: "missing-scope" | "payment-required" | "fault-trigger", requirement: string): Intent => ({
  kind: "violates",
  requirement,
  condition,
  twin: null,
});
const housekeeping = (purpose: string): Intent => ({ kind: "housekeeping", purpose });

describe("scope-refusals", () => {
  const outcomes = (purpose: string, status: number, draft: ExchangeDraft = {}): readonly string[] =>
    printJudge(scopeRefusals, [makeExchange({ endpoint: "agents", intent: housekeeping(purpose), status, ...draft })]);

  it("takes 404 and 405 for a path that does not exist", () => {
    for (const status of [404, 405]) {
      expect(outcomes(unscopedPurpose, status)).toEqual([
        "PATH-001 observed #1: the agents endpoint does not exist = the path does not exist",
      ]);
    }
    expect(outcomes(unscopedPurpose, 403, { received: { error: { code: "no_scope" } } })).toEqual(
      ["PATH-001", "AUTH-015", "AUTH-016", "ERR-017"].map((requirement) => `${requirement} pass #1`),
    );
  });

  it("accuses a refusal of who has the scope, and not trouble", () => {
    expect(outcomes(scopedPurpose, 403, { keyName: "agentWrite" })).toEqual([
      "PATH-003 fail #1: a key that has the scope is refused [expected any status but 401 and 403] [observed 403]",
    ]);
    expect(outcomes(scopedPurpose, 404, { keyName: "admin" })).toEqual(["PATH-004 pass #1"]);
    expect(outcomes(readingPurpose, 503)).toEqual(["AUTH-034 inconclusive #1: answered 503"]);
    expect(outcomes(readingPurpose, 401)).toEqual(["AUTH-034 pass #1"]);
    expect(outcomes(readingPurpose, 403)[0]).toContain("AUTH-034 fail #1");
    expect(outcomes("anything", 403)).toEqual([]);
  });

  it("distinguishes writing without the scope from a wrong refusal", () => {
    const refused = (status: number): readonly string[] =>
      printJudge(scopeRefusals, [makeExchange({ status, intent: violates("missing-scope", "KEY-023") })]);
    const rest = (status: number): string => `[expected 403 with an error code] [observed ${status}]`;
    expect(refused(200)[0]).toBe(`AUTH-015 fail #1: a key without write scope is allowed to write ${rest(200)}`);
    expect(refused(403)).toEqual([
      `AUTH-015 fail #1: a key without the needed scope is not refused with 403 and a code ${rest(403)}`,
      "AUTH-016 pass #1",
    ]);
  });
});

describe("path-access", () => {
  it.each([
    ["workspaces", "PATH-005"],
    ["agents", "PATH-007"],
    ["verify", "PATH-008"],
  ] as const)("wants nobody to use %s without credentials", (endpoint, requirement) => {
    const intent = housekeeping(anonymousPurpose);
    const asked = [401, 404, 200, 500].map((status, seq) => makeExchange({ seq, endpoint, status, keyName: null, intent }));
    expect(printJudge(pathAccess, asked).map((line) => line.split(" #")[0])).toEqual(
      ["pass", "pass", "fail", "inconclusive"].map((outcome) => `${requirement} ${outcome}`),
    );
  });

  it("looks at the paths that are only named, and at requests without credentials", () => {
    const outcomes = (endpoint: Exchange["endpoint"], purpose = anonymousPurpose): readonly string[] =>
      printJudge(pathAccess, [makeExchange({ endpoint, intent: housekeeping(purpose) })]);
    expect(outcomes("verify")).toEqual([
      "PATH-008 fail #1: a request without credentials succeeds [expected 401, or 404 where the path does not exist] [observed 200]",
    ]);
    expect(outcomes("models")).toEqual([]);
    expect(outcomes(null)).toEqual([]);
    expect(outcomes("verify", "anything")).toEqual([]);
  });
});

describe("blocked-account", () => {
  type Fields = NonNullable<ExchangeDraft["headers"]>;
  const window = (requests: string, tokens: string): Fields => [
    ["x-ratelimit-remaining-requests", requests],
    ["x-ratelimit-remaining-tokens", tokens],
  ];
  const blocked = (headers: Fields, draft: ExchangeDraft = {}): readonly string[] =>
    printJudge(blockedAccount, [
      makeExchange({ status: 429, headers, intent: violates("payment-required", "ERR-016"), ...draft }),
    ]);
  const trouble = ["ERR-016 inconclusive #1: answered 429"];

  it("needs no repetition where the account is served", () => {
    const judged = (status: number): readonly (boolean | undefined)[] => {
      const exchange = makeExchange({ status, intent: violates("payment-required", "ERR-016") });
      return judgeExchanges([exchange], [blockedAccount], contextWith()).map(({ conclusive }) => conclusive);
    };
    expect(judged(200)).toEqual([true]);
    expect(judged(403)).toEqual([false]);
  });

  it("excuses a 429 wherever a window may be used up", () => {
    expect(blocked(window("0", "5"))).toEqual(trouble);
    expect(blocked(window("5", "0"))).toEqual(trouble);
    expect(blocked([])).toEqual(trouble);
    expect(blocked(window("5", "5"))).toEqual([
      "ERR-016 fail #1: an account that cannot pay is not refused with 402 [expected 402] [observed 429]",
    ]);
  });

  it("distinguishes used-up credit and a reached cap, where the answer is a word about either", () => {
    const credit = (headers: Fields): string | undefined => blocked(headers, { keyName: "noCredit" }).at(-1);
    expect(credit(window("5", "5"))).toBe(
      "SPEND-021 fail #1: used-up credit is answered like a reached cap [expected 402] [observed 429]",
    );
    expect(credit(window("0", "5"))).toBe("SPEND-021 inconclusive #1: the key is not refused as expected: 429");
    const capped = (status: number, headers: Fields = []): readonly string[] =>
      printJudge(blockedAccount, [makeExchange({ status, headers, intent: housekeeping(cappedPurpose) })]);
    expect(capped(402)).toEqual([
      "SPEND-021 fail #1: a reached cap is answered like used-up credit [expected 429] [observed 402]",
    ]);
    expect(capped(402, window("0", "5"))[0]).toContain("SPEND-021 fail");
    expect(capped(429)).toEqual(["SPEND-021 pass #1"]);
    const brokenOff = {
      status: 402,
      failure: { kind: "incomplete-body", message: "" },
      intent: housekeeping(cappedPurpose),
    } as const;
    expect(printJudge(blockedAccount, [makeExchange(brokenOff)])[0]).toMatch(/^SPEND-021 inconclusive #1: /);
    expect(printJudge(blockedAccount, [makeExchange({ status: 402, intent: housekeeping("anything") })])).toEqual([]);
  });
});

describe("fresh-key", () => {
  const keys = { fresh: { secret: "", id: null, createdAtMs: wallMs } };
  const outcomes = (ageMs: number, status: number, draft: ExchangeDraft = {}): readonly string[] => {
    const tried = makeExchange({ keyName: "fresh", status, sentMs: ageMs, intent: housekeeping(freshPurpose), ...draft });
    return printJudge(freshKey, [tried], { keys });
  };

  it("wants a new key to work after a minute, and allows a second for whole seconds", () => {
    expect(outcomes(59_000, 401)).toEqual(["AUTH-023 pass #1"]);
    expect(outcomes(59_000, 403)).toEqual([]);
    expect(outcomes(59_000, 503)).toEqual([]);
    expect(outcomes(60_000, 401)).toEqual([]);
    expect(outcomes(60_000, 503)).toEqual(["AUTH-024 inconclusive #1: answered 503"]);
    expect(outcomes(61_000, 401)).toEqual([
      "AUTH-024 fail #1: a new key is still refused after a minute [expected a 2xx answer] [observed 401 61 s after its creation]",
    ]);
  });

  it("calls no key old that was younger when the request left", () => {
    const answeredAfter = (ms: number, ageMs: number): readonly string[] => {
      const prompt = makeExchange({ keyName: "fresh", status: 401, sentMs: ageMs + ms, intent: housekeeping(freshPurpose) });
      const timing = { ...prompt.timing, wallMs: prompt.timing.wallMs - ms, sentMs: ageMs };
      return printJudge(freshKey, [{ ...prompt, timing }], { keys });
    };
    expect(answeredAfter(3000, 59_000)).toEqual(["AUTH-023 pass #1"]);
    expect(answeredAfter(3000, 61_000)[0]).toContain("AUTH-024 fail #1");
  });

  it("calls no key old by a Date that runs ahead, or by a clock of ours that does", () => {
    const dated = (ageMs: number, dateMs: number): readonly string[] => {
      const tried = makeExchange({ keyName: "fresh", status: 401, sentMs: ageMs, intent: housekeeping(freshPurpose) });
      const headers = [["date", new Date(wallMs + dateMs).toUTCString()]] as const;
      return printJudge(freshKey, [{ ...tried, response: { ...tried.response!, headers } }], { keys });
    };
    expect(dated(0, 90_000)).toEqual(["AUTH-023 pass #1"]);
    expect(dated(90_000, 0)).toEqual(["AUTH-023 pass #1"]);
    expect(dated(90_000, 70_000)[0]).toContain("AUTH-024 fail #1");
  });

  it("looks at no other request", () => {
    expect(outcomes(5000, 200, { intent: housekeeping("anything") })).toEqual([]);
    expect(outcomes(5000, 200, { keyName: "primary" })).toEqual([]);
    expect(outcomes(5000, 200, { keyName: null })).toEqual([]);
  });
});

describe("server-errors", () => {
  const fault = (requirement: string, draft: ExchangeDraft): Exchange =>
    makeExchange({ received: { error: { code: "x" } }, intent: violates("fault-trigger", requirement), ...draft });

  it("names the fault that was announced", () => {
    const message = "the declared trigger did not lead to the fault but to";
    expect(printJudge(serverErrors, [fault("ERR-028", { status: 200 })])).toEqual([
      `ERR-028 fail #1: ${message} 200 [expected 502 with the common error shape] [observed 200]`,
    ]);
    expect(printJudge(serverErrors, [fault("ERR-030", { status: 500 })])[0]).toBe(
      `ERR-030 fail #1: ${message} 500 [expected the fault with the common error shape] [observed 500]`,
    );
    expect(printJudge(serverErrors, [fault("ERR-033", { status: null })])).toEqual([
      `ERR-033 inconclusive #1: ${message} no answer`,
      `ERR-030 inconclusive #1: ${message} no answer`,
    ]);
  });
});
