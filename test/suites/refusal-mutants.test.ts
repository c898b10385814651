import { openJudgeContext } from "../../src/run/judge-context.ts";
import { describe, expect, it } from "vitest";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { factsOf } from "../../src/core/exchange/exchange-facts.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { examineHealthy } from "../conformance/examine-healthy.ts";

type Shows = (exchange: Exchange) => boolean;

function query(exchange: Exchange, name: string): string {
  return new URLSearchParams(exchange.request.path.split("?")[1] ?? "").get(name) ?? "";
}

function sends(endpoint: string, ...members: readonly string[]): Shows {
  return (exchange) => {
    const names = Object.keys(factsOf(exchange).requestObject ?? {});
    return exchange.endpoint === endpoint && names.length === members.length && members.every((name) => names.includes(name));
  };
}

const at =
  (endpoint: string): Shows =>
  (exchange) =>
    exchange.endpoint === endpoint;
const asks =
  (granularity: string): Shows =>
  (exchange) =>
    exchange.endpoint === "usage" && query(exchange, "granularity") === granularity;
const writes =
  (pattern: RegExp): Shows =>
  (exchange) =>
    exchange.endpoint === "usage" && pattern.test(query(exchange, "from"));
const labelled =
  (endpoint: string, label: string): Shows =>
  (exchange) =>
    exchange.endpoint === endpoint && exchange.label === label;

/** Rows that take a refusal for advice: the notation has its defenders, and the row binds in another respect (AMB-34). */
const advisories: ReadonlySet<string> = new Set(["USG-005"]);

/** The documented requests that a service may wrongly refuse, and the rows that have to report it. */
const refusals: readonly (readonly [rows: readonly string[], what: string, shows: Shows])[] = [
  [["SVC-004", "EMB-001"], "embeddings altogether", at("embeddings")],
  [["SVC-005", "IMG-001"], "images altogether", at("images")],
  [["SVC-006", "AUD-001"], "transcriptions altogether", at("transcriptions")],
  [["SVC-007", "MOD-001"], "the model list", at("models")],
  [["SVC-008", "USG-001"], "usage altogether", at("usage")],
  [["SVC-009"], "settings of keys", at("key-settings")],
  [["SVC-009", "ACC-001"], "settings of the account", at("account-settings")],
  [["USG-004"], "the letter Z", writes(/Z$/)],
  [["USG-005"], "numeric offsets", writes(/[+-]\d{2}:\d{2}$/)],
  [["USG-006"], "milliseconds", writes(/\.\d{3}/)],
  [["USG-008"], "hours", asks("hour")],
  [["USG-009"], "days", asks("day")],
  [["USG-010"], "months", asks("month")],
  [["KEY-001"], "the cap of a key", sends("key-settings", "monthly_spend_cap")],
  [["KEY-002"], "the burst limit of a key", sends("key-settings", "burst_limit")],
  [["KEY-003"], "the cooldown of a key", sends("key-settings", "cooldown_seconds")],
  [
    ["KEY-004"],
    "combinations",
    (exchange) => exchange.endpoint === "key-settings" && Object.keys(factsOf(exchange).requestObject ?? {}).length > 1,
  ],
  [["KEY-025"], "a repeated change", labelled("key-settings", "repetition")],
  [["AUD-014"], "a language", labelled("transcriptions", "language")],
  [["AUD-011"], "webm", labelled("transcriptions", "format-webm")],
  [["IMG-010"], "wide images", labelled("images", "1792x1024")],
];

describe("a service that refuses what is documented", async () => {
  const { manifest, exchanges } = await examineHealthy();
  const record = exchanges.filter(({ caseId }) => /^(?:embeddings|images|audio|models|usage|settings)\//.test(caseId));
  const context = openJudgeContext(manifest);

  it.each(refusals)("is reported by %j when it refuses %s", (rows, _what, shows) => {
    const refused = record.map((exchange) => (exchange.intent.kind === "valid" && shows(exchange) ? refuse(exchange) : exchange));
    expect(refused.filter((exchange, index) => exchange !== record[index])).not.toEqual([]);
    const occurrences = judgeExchanges(refused, allJudges, context);
    const outcomesOf = (row: string): ReadonlySet<string> =>
      new Set(occurrences.filter(({ requirement }) => requirement === row).map(({ outcome }) => outcome));
    expect(rows.filter((row) => !outcomesOf(row).has(advisories.has(row) ? "advisory" : "fail"))).toEqual([]);
  });

  it("is accused of no refusal of a report over months, whose length nothing promises", () => {
    const refused = record.map((exchange) => (exchange.label === "months" ? refuse(exchange) : exchange));
    expect(refused.filter((exchange, index) => exchange !== record[index])).toHaveLength(1);
    const accusing = (exchanges: readonly Exchange[]): readonly string[] =>
      judgeExchanges(exchanges, allJudges, context).flatMap(({ requirement, outcome }) =>
        outcome === "fail" ? [requirement] : [],
      );
    expect(accusing(refused)).toEqual(accusing(record));
  });
});

function refuse(exchange: Exchange): Exchange {
  const text = JSON.stringify({
    error: { code: "invalid_request", details: [{ field: "anything", expected: "something else" }] },
  });
  const body = { bytes: text.length, sha256: "", text, truncated: false };
  return { ...exchange, response: { ...exchange.response!, status: 422, body } };
}
