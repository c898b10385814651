import { describe, expect, it } from "vitest";
import { judgeExchanges } from "../../../src/conformance/verdict/judge-exchanges.ts";
import { createAcceptanceJudge } from "../../../src/conformance/judging/acceptance-judge.ts";
import type { RunJudge, SchemaProblem } from "../../../src/conformance/judging/judge.ts";
import type { JsonValue } from "../../../src/conformance/judging/json-value.ts";
import { createSchemaJudge, type SchemaRule } from "../../../src/conformance/judging/schema-judge.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { contextWith } from "../../suites/judge-with.ts";
import { type ExchangeDraft, makeExchange } from "../../make/exchanges/make-exchange.ts";
import { printJudge, printOccurrence } from "./print-occurrences.ts";

describe("createAcceptanceJudge", () => {
  const make = (): RunJudge =>
    createAcceptanceJudge({
      id: "test-acceptance",
      endpoint: "chat",
      capability: "SVC-003",
      rows: [
        { requirement: "CHAT-001", what: "nothing else", when: (body) => body["plain"] === true },
        { requirement: "CHAT-010", what: "a", when: (body) => body["a"] === true },
        { requirement: "CHAT-014", what: "b", when: (body) => body["b"] === true },
      ],
    });
  const sent = (seq: number, members: string, status: number | null = 200, draft: ExchangeDraft = {}): Exchange => {
    const body = Object.fromEntries(members.split(" ").map((name) => [name, true]));
    return makeExchange({ seq, endpoint: "chat", sent: body, status, ...draft });
  };
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(make(), exchanges);
  const refused = (requirement: string, seq: number, what: string, observed = "422"): string =>
    `${requirement} fail #${seq}: a valid request is refused: ${what} [expected a 2xx answer to ${what}] [observed ${observed}]`;
  const never = (requirement: string, seq: number, observed: string): string =>
    `${requirement} fail #${seq}: no valid request to POST /v1/chat/completions was ever accepted [expected a 2xx answer] [observed ${observed}, application/json, 2 bytes: {}]`;
  const absent = (requirement: string, seq: number): string =>
    never(requirement, seq, "404").replace(
      " [",
      "; if it is not offered on purpose, declare features: { chat: false } in the manifest [",
    );
  const unproven = (requirement: string, seq: number): string =>
    `${requirement} inconclusive #${seq}: the operation accepted no request at all, so this one proves nothing`;
  const trouble = (requirement: string, seq: number, what: string): string => `${requirement} inconclusive #${seq}: ${what}`;

  it("makes a judge of the whole run, which covers the capability and its rows", () => {
    const covers = ["SVC-003", "CHAT-001", "CHAT-010", "CHAT-014"];
    expect(make()).toMatchObject({ scope: "run", id: "test-acceptance", covers });
  });

  it("passes what accepted requests show", () => {
    expect(outcomes(sent(1, "plain"), sent(2, "a b"))).toEqual([
      "SVC-003 pass #1",
      "CHAT-001 pass #1",
      "CHAT-010 pass #2",
      "CHAT-014 pass #2",
    ]);
  });

  it("accuses nobody for refusing a model that the manifest names and no list holds", () => {
    const list = (...ids: readonly unknown[]): Exchange =>
      makeExchange({ seq: 9, received: { data: ids.map((id) => ({ id })) } });
    const named = { ...testManifest("http://127.0.0.1:1"), models: { chat: "nope", embedding: null, transcription: null } };
    const heads = (...exchanges: readonly Exchange[]): readonly string[] =>
      printJudge(make(), exchanges, named).map((line) => line.split(":")[0]!);
    const unlisted = ["SVC-003 inconclusive #1", "CHAT-001 inconclusive #1", "CHAT-001 inconclusive #1"];
    for (const status of [400, 422]) expect(heads(sent(1, "plain", status), list("other", "more"))).toEqual(unlisted);
    const notFound = (received: object): Exchange => sent(1, "plain", 404, { received });
    for (const received of [{ error: { code: "model_not_found", message: "no" } }, { detail: "Model nope does not exist" }])
      expect(heads(notFound(received), list("other"))).toEqual(unlisted);
    const accused = ["SVC-003 fail #1", "CHAT-001 fail #1", "CHAT-001 inconclusive #1"];
    // As a framework answers a path that nobody serves.
    expect(heads(notFound({ detail: "Not Found" }), list("other"))).toEqual(accused);
    for (const known of [list("other", "nope"), list(), list("other", undefined), sent(9, "", 200, { endpoint: "usage" })])
      expect(heads(sent(1, "plain", 404), known)).toEqual(accused);
    expect(heads(sent(1, "plain", 301), list("other"))).toEqual(accused);
    expect(heads(sent(1, "plain"), sent(2, "a", 404), list("other"))[0]).toBe("SVC-003 pass #1");
  });

  it("does not blame a refusal on what shorter requests show that were accepted", () => {
    const long = { sent: { a: true, text: "word ".repeat(800) } };
    const answers = [sent(1, "plain"), sent(2, "a")];
    expect(outcomes(...answers, sent(3, "", 400, long))).toEqual(outcomes(...answers));
    expect(outcomes(...answers, sent(3, "", 400, { sent: { a: true, text: "word" } })).at(-1)).toBe(
      refused("CHAT-010", 3, "a", "400"),
    );
    expect(outcomes(sent(1, "plain"), sent(3, "", 400, long)).at(-1)).toBe(refused("CHAT-010", 3, "a", "400"));
  });

  it("blames a refusal on what no accepted request shows, however many requests show it", () => {
    expect(outcomes(sent(1, "b"), sent(2, "a b", 422), sent(3, "a", 422)).slice(2)).toEqual([
      refused("CHAT-010", 2, "a"),
      refused("CHAT-010", 3, "a"),
    ]);
    expect(outcomes(sent(1, "plain"), sent(2, "a b", 422)).slice(2)).toEqual([
      refused("CHAT-010", 2, "a"),
      refused("CHAT-014", 2, "b"),
    ]);
  });

  it("blames it on what the fewest requests show where each was accepted somewhere", () => {
    const accepted = [sent(1, "a"), sent(2, "a"), sent(3, "b")];
    expect(outcomes(...accepted, sent(4, "a b", 422)).slice(4)).toEqual([refused("CHAT-014", 4, "b")]);
    expect(outcomes(...accepted, sent(4, "other", 422)).slice(4)).toEqual([]);
  });

  it("fails the capability and the plainest request where nothing is accepted, and leaves the rest open", () => {
    expect(outcomes(sent(1, "plain", 404), sent(2, "a", 404))).toEqual([
      absent("SVC-003", 1),
      absent("SVC-003", 2),
      absent("CHAT-001", 1),
      unproven("CHAT-001", 1),
      unproven("CHAT-010", 2),
    ]);
  });

  it("accuses nobody because of trouble or a refused credential", () => {
    const failure = { kind: "timeout", message: "" } as const;
    const reported = outcomes(
      sent(1, "plain"),
      sent(2, "a", 429),
      sent(3, "a", 500),
      sent(4, "a", null, { failure }),
      sent(5, "a", 401),
      sent(6, "a", 403),
      sent(7, "a", 402),
    );
    expect(reported.slice(2)).toEqual([
      trouble("CHAT-010", 2, "answered 429"),
      trouble("CHAT-010", 3, "answered 500"),
      trouble("CHAT-010", 4, "no complete answer (timeout)"),
      trouble("CHAT-010", 5, "the credential was refused (401)"),
      trouble("CHAT-010", 6, "the credential was refused (403)"),
      refused("CHAT-010", 7, "a", "402"),
    ]);
  });

  it("takes three requests that crash, repetitions not counted, for a missing capability", () => {
    const capability = (...exchanges: readonly Exchange[]): readonly string[] =>
      outcomes(...exchanges).filter((line) => line.startsWith("SVC-003"));
    const three = [1, 2, 3].map((seq) => sent(seq, "a", 500));
    expect(capability(...three)).toEqual([1, 2, 3].map((seq) => never("SVC-003", seq, "500")));
    expect(capability(...three, sent(4, "a", 429), sent(5, "a", null))).toEqual([
      ...[1, 2, 3].map((seq) => never("SVC-003", seq, "500")),
      trouble("SVC-003", 4, "answered 429"),
      trouble("SVC-003", 5, "answered nothing"),
    ]);
    const [one, two, last] = three as [Exchange, Exchange, Exchange];
    const open = (...seqs: readonly number[]): readonly string[] =>
      seqs.map((seq) => trouble("SVC-003", seq, seq === 9 ? "answered 429" : "answered 500"));
    expect(capability(one, two, { ...last, retryOf: 2 })).toEqual(open(1, 2, 3));
    expect(capability(one, two, sent(9, "a", 429))).toEqual(open(1, 2, 9));
    expect(capability(one, two, sent(3, "a", 404))).toEqual([...open(1, 2), never("SVC-003", 3, "404")]);
  });

  it("has no subject in other stages, operations and intents", () => {
    expect(outcomes(sent(1, "plain", 422, { stage: "load" }))).toEqual([]);
    expect(outcomes(sent(1, "plain", 422, { endpoint: "embeddings" }))).toEqual([]);
    expect(outcomes(sent(1, "plain", 422, { keyName: null }))).toEqual([]);
    expect(outcomes(sent(1, "plain", 422, { intent: { kind: "limit", policy: "requests", phase: "D" } }))).toEqual([]);
  });
});

describe("createSchemaJudge", () => {
  const problem = (pointer: string, keyword = "type", property: string | null = null): SchemaProblem => ({
    pointer,
    keyword,
    property,
    message: "",
  });
  const outcomes = (value: JsonValue, rules: readonly SchemaRule[], problems: readonly SchemaProblem[]): readonly string[] => {
    const judge = createSchemaJudge({ id: "test-shape", endpoint: "models", schema: () => "s", rules, whole: "W" });
    const context = { ...contextWith(), validate: () => problems };
    const exchange = makeExchange({ received: JSON.stringify(value) });
    return judgeExchanges([exchange], [judge], context).map(printOccurrence);
  };
  const rule = (path: string, more: Partial<SchemaRule> = {}): SchemaRule => ({
    requirement: `R${path}`,
    path,
    expected: "right",
    ...more,
  });
  const wrong = (path: string, at: string, observed: string): string =>
    `R${path} fail #1: ${at} is not as the specification shows it [expected right] [observed ${observed}]`;

  it("keeps 31 rules apart and takes no more", () => {
    const rules = Array.from({ length: 31 }, (_, index) => rule(`/m${index}`));
    expect(outcomes({ m0: 1, m30: 1 }, rules, [])).toEqual(["R/m0 pass #1", "R/m30 pass #1", "W pass #1"]);
    expect(() => outcomes({}, [...rules, rule("/m31")], [])).toThrow("test-shape: 32 rules, at most 31 have a bit");
  });

  it("passes a member that is there and has no problem, and says nothing of one that is not there", () => {
    const rules = [rule("/a"), rule("/b"), rule("/c/*/d"), rule("/c/*")];
    expect(outcomes({ a: 1, c: [{}, { d: null }] }, rules, [])).toEqual([
      "R/a pass #1",
      "R/c/*/d pass #1",
      "R/c/* pass #1",
      "W pass #1",
    ]);
    expect(outcomes({ a: 1, c: [] }, rules, [])).toEqual(["R/a pass #1", "W pass #1"]);
    expect(outcomes({ c: { "*": { d: 1 } } }, rules, [])).toEqual(["W pass #1"]);
    for (const other of [{ c: null }, { c: [null, 7] }, null, 7, "a"]) {
      expect(outcomes(other, [rule("/c/d"), rule("/c/*/d")], [])).toEqual(["W pass #1"]);
    }
    expect(outcomes({ a: [1] }, [rule("/a/b"), rule("/a"), rule("/*")], [])).toEqual(["R/a pass #1", "W pass #1"]);
  });

  it("reports the first problem of a place, with the value that is there", () => {
    expect(outcomes({ c: [{ d: 7 }, { d: 8 }] }, [rule("/c/*/d")], [problem("/c/1/d"), problem("/c/0/d")])).toEqual([
      wrong("/c/*/d", "/c/1/d", "8"),
      "W pass #1",
    ]);
    expect(outcomes({ "a/b~": 7 }, [rule("/a~1b~0")], [problem("/a~1b~0")])[0]).toBe(wrong("/a~1b~0", "/a~1b~0", "7"));
    expect(outcomes({ a: null }, [rule("/a/b")], [problem("/a/b")])[0]).toBe(wrong("/a/b", "/a/b", "nothing"));
    expect(outcomes({}, [rule("/a")], [problem("", "required", "a")])[0]).toBe(
      "R/a fail #1: /a is missing [expected right] [observed the member is missing]",
    );
  });

  it("prefers the rule that names the keyword, and passes no other rule of that place", () => {
    const rules = [rule("/a"), rule("/a", { requirement: "K", keywords: ["minItems"] })];
    expect(outcomes({ a: [] }, rules, [problem("/a", "minItems")])).toEqual([
      "K fail #1: /a is not as the specification shows it [expected right] [observed []]",
      "W pass #1",
    ]);
    expect(outcomes({ a: 7 }, rules, [problem("/a")])).toEqual([wrong("/a", "/a", "7"), "W pass #1"]);
  });

  it("reports a body of another kind under the requirement of the whole", () => {
    expect(outcomes([], [rule("/a")], [problem("")])).toEqual([
      "W fail #1: the body is not the kind of value that the specification shows [expected a JSON object (schema s)] [observed []]",
    ]);
    expect(outcomes(7, [rule("")], [problem("")])[0]).toBe(wrong("", "the body", "7"));
  });

  it("has no subject where no schema is meant; a body that cannot be read is not what it has to be", () => {
    const judge = (schema: string | null) =>
      createSchemaJudge({ id: "test-shape", endpoint: "models", schema: () => schema, rules: [], whole: "W" });
    expect(printJudge(judge(null), [makeExchange()])).toEqual([]);
    const [broken] = printJudge(judge("model-list.response"), [makeExchange({ received: "{" })]);
    expect(broken).toContain("W fail #1: the body cannot be read: the JSON is cut: it ends behind `{`");
    const long = { bytes: 2_000_000, sha256: "", text: "{", truncated: true };
    const kept = { status: 200, headers: [], body: long, stream: null };
    expect(printJudge(judge("model-list.response"), [{ ...makeExchange(), response: kept }])).toEqual([
      "W inconclusive #1: a body of 2.0 MB is longer than what is kept of one",
    ]);
  });

  it("makes a judge of the successes of one operation, which covers its rules", () => {
    const rules = [rule("/a"), rule("/b", { requirement: "R/a" })];
    const judge = createSchemaJudge({ id: "test-shape", endpoint: "models", schema: () => "s", rules, whole: "W" });
    expect(judge).toMatchObject({ scope: "exchange", id: "test-shape", covers: ["W", "R/a"] });
    const concerns = (endpoint: "models" | "usage", status: number): boolean | undefined =>
      judge.concerns?.({ endpoint, status, intent: "valid", streamed: false });
    expect([concerns("models", 299), concerns("models", 300), concerns("usage", 200)]).toEqual([true, false, false]);
  });

  it("takes a problem that no requirement owns for its own fault", () => {
    const orphan = outcomes({ a: 7 }, [rule("/b"), rule("/a", { keywords: ["const"] })], [problem("/a")]);
    const fault = "the judge test-shape failed on #1: schema s: no requirement owns /a (type)";
    expect(orphan).toEqual(["W", "R/b", "R/a"].map((requirement) => `${requirement} inconclusive #1: ${fault}`));
  });
});
