import { describe, expect, it } from "vitest";
import { credentialAcceptance } from "../../../src/conformance/judges/auth/credential-acceptance.ts";
import { noKeyInResponse } from "../../../src/conformance/judges/auth/no-key-in-response.ts";
import { unauthorized } from "../../../src/conformance/judges/auth/unauthorized.ts";
import type { Intent } from "../../../src/core/exchange/intent.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";

const violates = (condition: "no-credentials" | "bad-credentials" | "missing-scope" | "unknown-id"): Intent => ({
  kind: "violates",
  requirement: "AUTH-005",
  condition,
  twin: null,
});

describe("credential-acceptance", () => {
  it("takes only a POST to /v1/keys for an attempt to create a key, and only one that was answered", () => {
    const housekeeping: Intent = { kind: "housekeeping", purpose: "x" };
    const keys = { endpoint: null, path: "/v1/keys", intent: housekeeping };
    expect(printJudge(credentialAcceptance, [makeExchange({ ...keys, method: "GET" })])).toEqual([]);
    expect(printJudge(credentialAcceptance, [makeExchange({ ...keys, method: "POST", status: null })])).toEqual([]);
    expect(printJudge(credentialAcceptance, [makeExchange({ ...keys, method: "POST", status: 404 })])).toEqual([
      "AUTH-025 pass #1",
    ]);
    expect(printJudge(credentialAcceptance, [makeExchange({ ...keys, method: "POST" })])).toEqual([
      "AUTH-025 fail #1: keys can be created through the API [expected no such operation] [observed 200]",
    ]);
  });

  it("knows both spellings that clients use from any other", () => {
    const sentWith = (name: string, status: number): readonly string[] => {
      const exchange = makeExchange({ status });
      return printJudge(credentialAcceptance, [
        { ...exchange, request: { ...exchange.request, headers: [[name, "Bearer <key:primary>"]] } },
      ]);
    };
    expect(sentWith("Authorization", 200)).toEqual(["AUTH-001 pass #1", "VER-001 pass #1"]);
    expect(sentWith("authorization", 401)).toEqual([
      "AUTH-001 fail #1: a valid key is refused [expected a 2xx answer] [observed 401]",
    ]);
    expect(sentWith("AUTHORIZATION", 401)).toEqual([
      "AUTH-011 fail #1: a valid key is refused when the field name is spelled in mixed case [expected a 2xx answer] [observed 401]",
    ]);
  });

  it("says that the prefix of the version is missing only where the API is served without it", () => {
    const plain = makeExchange({
      seq: 2,
      endpoint: null,
      path: "/models",
      method: "GET",
      intent: { kind: "housekeeping", purpose: "x" },
    });
    expect(printJudge(credentialAcceptance, [plain])).toEqual([
      "VER-001 fail #2: the API is served without the version prefix only [expected operations below /v1] [observed 200 to /models]",
    ]);
    expect(printJudge(credentialAcceptance, [makeExchange({ status: 500 }), plain]).at(-1)).toContain("VER-001 fail");
    expect(printJudge(credentialAcceptance, [{ ...plain, request: { ...plain.request, path: "/other" } }])).toEqual([]);
  });
});

describe("unauthorized", () => {
  it("wants a challenge that says something", () => {
    const challenged = (value: string): readonly string[] =>
      printJudge(unauthorized, [makeExchange({ status: 401, headers: [["www-authenticate", value]] })]);
    expect(challenged("Bearer")).toEqual(["AUTH-029 pass #1"]);
    expect(challenged(" ")).toEqual([
      "AUTH-029 fail #1: a 401 without WWW-Authenticate [expected the field WWW-Authenticate (RFC 9110 section 15.5.2)] [observed no such field]",
    ]);
  });

  it("says nothing about what was not answered, or about routes that are only named", () => {
    const intent = violates("no-credentials");
    expect(printJudge(unauthorized, [makeExchange({ status: null, intent })])).toEqual([]);
    expect(printJudge(unauthorized, [makeExchange({ status: 404, endpoint: "agents", intent })])).toEqual([]);
    expect(printJudge(unauthorized, [makeExchange({ status: 403, intent: { kind: "valid" } })])).toEqual([]);
    expect(printJudge(unauthorized, [makeExchange({ status: 404, intent: violates("unknown-id") })])).toEqual([]);
  });

  it.each([
    [199, "pass"],
    [200, "fail"],
    [299, "fail"],
    [300, "pass"],
  ] as const)("counts %i without credentials as %s", (status, outcome) => {
    const reported = printJudge(unauthorized, [makeExchange({ status, intent: violates("no-credentials") })]);
    expect(reported.map((line) => line.split(" #")[0])).toEqual(["AUTH-026 pass", `SVC-010 ${outcome}`]);
  });
});

describe("no-key-in-response", () => {
  it("finds the key in fields, bodies and events, and in nothing else", () => {
    const found = "fail #1: 200 to GET /v1/models gives the whole key away in";
    const rest = "[expected no response that holds the key] [observed <key:primary> in";
    expect(printJudge(noKeyInResponse, [makeExchange({ headers: [["x-echo", "<key:primary>"]] })])).toEqual([
      `AUTH-031 ${found} the field x-echo ${rest} the field x-echo]`,
    ]);
    expect(printJudge(noKeyInResponse, [makeExchange({ received: { echo: "<key:primary>" } })])).toEqual([
      `AUTH-031 ${found} the body ${rest} the body]`,
    ]);
    expect(printJudge(noKeyInResponse, [makeExchange({ received: { echo: "<key:" } })])).toEqual(["AUTH-031 pass #1"]);
    expect(printJudge(noKeyInResponse, [makeExchange({ status: null })])).toEqual([]);
  });
});
