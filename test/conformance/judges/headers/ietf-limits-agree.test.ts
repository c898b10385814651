import { describe, expect, it } from "vitest";
import { ietfLimitsAgree } from "../../../../src/conformance/judges/headers/ietf-limits-agree.ts";
import type { Manifest } from "../../../../src/core/manifest.ts";
import { type ExchangeDraft, makeExchange, wallMs } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

type Fields = readonly (readonly [string, string])[];

const reset = String(wallMs / 1000 + 30);
const own = (remaining: number): Fields => [
  ["x-ratelimit-limit-requests", "60"],
  ["x-ratelimit-remaining-requests", String(remaining)],
  ["x-ratelimit-reset-requests", reset],
];

/** The words of the judge on three answers with these fields, each of which shows one less in the six fields. */
function say(
  fields: (remaining: number) => Fields,
  manifest: Partial<Manifest> = {},
  draft: ExchangeDraft = {},
): readonly string[] {
  const exchanges = [50, 49, 48].map((remaining, index) =>
    makeExchange({ seq: index + 1, headers: [...own(remaining), ...fields(remaining)], ...draft }),
  );
  return printJudge(ietfLimitsAgree, exchanges, manifest);
}

const pass = ["RATE-043 pass #1 #2 #3"];
const differs = expect.stringContaining(
  "RATE-043 advisory #1 #2 #3: x-ratelimit-remaining-requests and the RateLimit fields of one answer differ (primary models)",
);
const named = (policy: string, state: string): Fields => [
  ["RateLimit-Policy", policy],
  ["RateLimit", state],
];

describe("ietf-limits-agree (RATE-043)", () => {
  it("says nothing of answers that state their limit once", () => {
    expect(say(() => [])).toEqual([]);
  });

  it("compares named quotas, as drafts from 08 on write them", () => {
    expect(say((left) => named('"minute";q=60;w=60', `"minute";r=${left};t=30`))).toEqual(pass);
    expect(say((left) => named('"minute";q=60;w=60;qu="requests";pk=:YQ==:', `"minute";r=${left + 5};t=30`))).toEqual([differs]);
  });

  it("compares the dictionary of draft 07", () => {
    expect(say((left) => named("60;w=60", `limit=60, remaining=${left}, reset=30`))).toEqual(pass);
    expect(say((left) => named("60;w=60", `limit=60, remaining=${left - 9}, reset=30`))).toEqual([differs]);
  });

  it.each([
    ["drafts 01 and 02", [["RateLimit-Limit", "60, 60;w=60, 5000;w=86400"]]],
    [
      "drafts 03 to 06",
      [
        ["RateLimit-Limit", "60"],
        ["RateLimit-Policy", "60;w=60, 5000;w=86400"],
      ],
    ],
    ["no policy", [["RateLimit-Limit", "60"]]],
  ] satisfies readonly (readonly [string, Fields])[])("compares three fields of their own: %s", (_name, limit) => {
    const fields = (left: number): Fields => [...limit, ["RateLimit-Remaining", String(left)], ["RateLimit-Reset", "30"]];
    expect(say(fields)).toEqual(pass);
    expect(say((left) => fields(left + 7))).toEqual([differs]);
  });

  it("leaves out quotas of another window, limit or unit", () => {
    const policies = '"day";q=60;w=86400, "address";q=100;w=60, "bytes";q=60;w=60;qu="content-bytes"';
    expect(say(() => named(policies, '"day";r=3;t=5000, "address";r=1;t=30, "bytes";r=0;t=3'))).toEqual([]);
    expect(say(() => named("60;w=86400", "limit=60, remaining=3, reset=5000"))).toEqual([]);
    expect(
      say(() => [
        ["RateLimit-Limit", "60"],
        ["RateLimit-Remaining", "3"],
        ["RateLimit-Reset", "5000"],
      ]),
    ).toEqual([]);
  });

  it("takes the window from the manifest", () => {
    const fields = (): Fields => named('"hour";q=60;w=3600', '"hour";r=3;t=30');
    expect(say(fields)).toEqual([]);
    expect(say(fields, { features: { windowSeconds: 3600 } })).toEqual([differs]);
  });

  it("believes one of several policies that cannot be distinguished", () => {
    const policies = '"key";q=60;w=60, "address";q=60;w=60';
    expect(say((left) => named(policies, `"key";r=${left};t=30, "address";r=2;t=30`))).toEqual(pass);
    expect(say(() => named(policies, '"key";r=1;t=30, "address";r=2;t=30'))).toEqual([differs]);
  });

  it("fails no gateway whose limit of a consumer has the size of that of a key", () => {
    const gateway: Fields = [
      ["RateLimit-Limit", "60"],
      ["RateLimit-Remaining", "17"],
      ["RateLimit-Reset", "30"],
    ];
    expect(say(() => gateway)).toEqual([differs]);
  });

  it("grants a request that is counted in one of both, and those in flight beside it", () => {
    const fields = (left: number): Fields => named('"minute";q=60;w=60', `"minute";r=${left + 1};t=30`);
    expect(say(fields)).toEqual(pass);
    const beside = (left: number): Fields => named('"minute";q=60;w=60', `"minute";r=${left + 3};t=30`);
    expect(say(beside)).toEqual([differs]);
    expect(say(beside, {}, { sentMs: 100, endMs: 900 })).toEqual(pass);
  });

  it("believes no copy of a cache and no answer to an unknown key", () => {
    const fields = (): Fields => named('"minute";q=60;w=60', '"minute";r=1;t=30');
    expect(say(() => [...fields(), ["Age", "12"]])).toEqual([]);
    expect(say(fields, {}, { status: 401 })).toEqual([]);
    expect(say(fields, {}, { keyName: null })).toEqual([]);
  });

  it("has an advisory for another reset and for text that is no structured field", () => {
    expect(say((left) => named('"minute";q=60;w=60', `"minute";r=${left};t=55`))).toEqual([
      ...pass,
      expect.stringMatching(
        /^RATE-043 advisory #1 #2 #3: x-ratelimit-reset-requests .* name two instants .*30 s and 55 s from now/,
      ),
    ]);
    expect(say(() => [["RateLimit", "60 of 60 left?"]])).toEqual([
      expect.stringMatching(/^RATE-043 advisory #1 #2 #3: the field ratelimit is no structured field/),
    ]);
  });

  it("compares tokens where the request itself uses none", () => {
    const tokens = (left: number): Fields => [
      ["x-ratelimit-limit-tokens", "1000"],
      ["x-ratelimit-remaining-tokens", "500"],
      ...named('"tokens";q=1000;w=60;qu="tokens"', `"tokens";r=${left};t=30`),
    ];
    expect(say(() => tokens(500))).toEqual(pass);
    expect(say(() => tokens(400))).toEqual([expect.stringContaining("x-ratelimit-remaining-tokens and the RateLimit fields")]);
    expect(say(() => tokens(400), {}, { endpoint: "chat" })).toEqual([]);
  });
});
