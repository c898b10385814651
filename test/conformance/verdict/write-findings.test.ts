import { describe, expect, it } from "vitest";
import { judgeConformance } from "../../../src/conformance/verdict/judge-conformance.ts";
import { allJudges } from "../../../src/conformance/judges/all-judges.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Finding } from "../../../src/core/result/finding.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { contextWith } from "../../suites/judge-with.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { catalogue } from "../examine-reference.ts";

const target = { baseUrl: "http://127.0.0.1:1/v1" } as Manifest["target"];

function findingsOn(exchanges: readonly Exchange[]): readonly Finding[] {
  return judgeConformance({
    exchanges,
    catalogue,
    judges: allJudges,
    context: contextWith({ target }),
    suites: ["core"],
    untested: new Map(),
    strict: false,
  }).findings;
}

/** Under load, where two responses confirm each other. */
function answers(count: number): readonly Exchange[] {
  return Array.from({ length: count }, (_, index) =>
    makeExchange({ seq: index + 1, endpoint: "chat", stage: "load", path: "/v1/chat/completions", status: 200 + index }),
  );
}

describe("findings about missing rate-limit headers", () => {
  const presence = (exchanges: readonly Exchange[]): readonly Finding[] =>
    findingsOn(exchanges).filter(({ check }) => check === "rate-limit-headers-present");

  it("are one finding, with the row of each field, however many kinds of responses lack them", () => {
    const found = presence(answers(9));
    expect(found.map(({ requirement, also }) => [requirement, also])).toEqual([
      ["SVC-011", ["RATE-001", "RATE-002", "RATE-003", "RATE-004", "RATE-005", "RATE-006"]],
    ]);
    expect(found[0]).toMatchObject({
      verdict: "fail",
      message:
        "each of 9 kinds of responses has none of the six x-ratelimit fields: " +
        "200 to POST /v1/chat/completions, 201 to POST /v1/chat/completions, 202 to POST /v1/chat/completions ...",
      exchanges: [1, 2, 3, 4, 5],
      more: 4,
    });
  });

  it("name the one kind that lacks them", () => {
    const found = presence([...answers(1), ...answers(1).map((exchange) => ({ ...exchange, seq: 2 }))]);
    expect(found[0]?.message).toMatch(/^200 to POST \/v1\/chat\/completions has none of the six x-ratelimit fields$/);
  });

  it("do not accuse answers that are only advised beside those that have to carry them", () => {
    const anonymous = makeExchange({ seq: 10, endpoint: "chat", keyName: null, status: 401 });
    const [field] = presence([...answers(2), anonymous]);
    expect(field).toMatchObject({ verdict: "fail", exchanges: [1, 2], more: 0 });
    expect(field?.message).not.toContain("401");
    expect(presence([anonymous]).map(({ verdict }) => verdict)).toEqual(["advisory"]);
  });
});

describe("one defect", () => {
  it("of many kinds of responses is one finding that lists them, whatever each of them says", () => {
    const texts = ['no "key" was sent', 'the header is cut: "Bearer', `a long one ${"x".repeat(300)}`];
    const found = findingsOn(
      texts.map((error, index) =>
        makeExchange({
          seq: index + 1,
          stage: "load",
          endpoint: "models",
          path: `/v1/models${index}`,
          status: 401,
          keyName: null,
          received: { error },
        }),
      ),
    ).filter(({ requirement, also }) => [requirement, ...also].includes("ERR-001"));
    expect(found.map(({ message }) => message)).toHaveLength(1);
    expect(found[0]?.message).toMatch(/^each of 3 kinds of responses: error is a string/);
    expect(found[0]?.message).toMatch(/: 401 to GET \/v1\/models0, 401 to GET \/v1\/models1, 401 to GET \/v1\/models2$/);
    expect(found[0]?.exchanges).toEqual([1, 2, 3]);
  });

  it("that two judges describe in the same words is reported once", () => {
    const created = "2026-11-21T08:00:00Z";
    const chat = (seq: number, sent: object): Exchange =>
      makeExchange({ seq, stage: "load", endpoint: "chat", path: "/v1/chat/completions", sent, received: { created } });
    const stated = judgeConformance({
      exchanges: [chat(1, { model: "m", messages: [] }), chat(2, { model: "m", messages: [], tools: [] })],
      catalogue,
      judges: allJudges,
      context: contextWith({ target }),
      suites: ["chat"],
      untested: new Map(),
      strict: false,
    }).findings.filter(({ requirement }) => requirement === "CMPL-004");
    expect(stated).toHaveLength(1);
    expect(stated[0]).toMatchObject({ verdict: "fail", exchanges: [1, 2] });
  });

  it("of many members is one finding that names them", () => {
    const twin = makeExchange({ seq: 9, label: "twin", stage: "load", endpoint: "chat", path: "/v1/chat/completions" });
    const spoilt = ["model", "messages", "temperature", "top_p", "max_tokens"].map((field, index) =>
      makeExchange({
        seq: index + 1,
        stage: "load",
        endpoint: "chat",
        path: "/v1/chat/completions",
        status: 400,
        intent: { kind: "violates", requirement: "CHAT-002", condition: "missing-field", field, twin: "twin" },
        received: { error: { code: "bad" } },
      }),
    );
    const found = findingsOn([...spoilt, twin]).filter(({ requirement, also }) => [requirement, ...also].includes("ERR-021"));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      requirement: "ERR-024",
      also: ["CHAT-002", "ERR-021"],
      message: "a failed validation is answered 400",
      exchanges: [1, 9, 2, 3, 4],
      more: 1,
    });
    expect(found[0]?.forms.map(({ sent }) => sent.replace(/.* without /, ""))).toEqual([
      "model",
      "messages",
      "temperature",
      "top_p",
      "max_tokens",
    ]);
  });
});
