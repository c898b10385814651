import { describe, expect, it } from "vitest";
import type { JudgedOccurrence } from "../../../src/conformance/verdict/judge-exchanges.ts";
import type { SettledRequirement } from "../../../src/conformance/verdict/settle-requirement.ts";
import { describeSent, draftFindings } from "../../../src/conformance/verdict/write-findings.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../make/make-exchange.ts";
import { said, settle } from "./settle-said.ts";

describe("draftFindings", () => {
  const bySeq = new Map([1, 2, 3, 4, 5, 6, 7].map((seq) => [seq, makeExchange({ seq })]));
  const write = (settled: SettledRequirement): ReturnType<typeof draftFindings> =>
    draftFindings(settled, { bySeq, baseUrl: "http://h", baselined: true });

  it("tells violations that differ in numbers and quoted values once, with the earliest first", () => {
    const occurrences = [7, 2, 3, 4, 5, 6].map((seq) =>
      said("fail", [seq], {
        message: `"v${"w".repeat(seq)}${seq}" came ${10 ** (seq % 3)} times`,
        expected: "e",
        observed: `o${seq}`,
        conclusive: true,
      }),
    );
    expect(write(settle(occurrences))).toEqual([
      {
        stage: "conformance",
        requirement: "T-001",
        check: "j",
        level: "must",
        verdict: "fail",
        message: '"vww2" came 100 times',
        spec: "S",
        sent: "GET /v1/models",
        expected: "e",
        observed: "o2",
        exchanges: [2, 3, 4, 5, 6],
        more: 1,
        curl: "curl -sS -i http://h/v1/models",
        baselined: true,
      },
    ]);
  });

  it("keeps different words and outcomes apart, in order, and not what several judges say alike", () => {
    const proven = { conclusive: true };
    const drafts = write(
      settle([
        said("fail", [1], { message: "b", ...proven }),
        said("fail", [2], { message: "a", ...proven }),
        said("fail", [3], { message: "a", judge: "i", ...proven }),
        said("advisory", [4], { message: "a" }),
        said("fail", [99], proven),
      ]),
    );
    expect(
      drafts.map(({ check, verdict, message, exchanges, sent, expected, observed }) => [
        check,
        verdict,
        message,
        exchanges,
        sent,
        expected,
        observed,
      ]),
    ).toEqual([
      ["j", "advisory", "a", [4], "GET /v1/models", "the text of the row", "a"],
      ["j", "fail", "the text of the row", [99], null, "the text of the row", "a violation"],
      ["j", "fail", "a", [2, 3], "GET /v1/models", "the text of the row", "a"],
      ["j", "fail", "b", [1], "GET /v1/models", "the text of the row", "b"],
    ]);
  });

  it("takes numbers and quoted values for nothing, and all other words for another kind", () => {
    const kinds = (...messages: readonly string[]): number =>
      write(settle(messages.map((message, index) => said("fail", [index + 1], { message, conclusive: true })))).length;
    expect(kinds("took 5 ms", "took 17 ms", 'said "a"', 'said "b c"')).toBe(2);
    expect(kinds("took 5", "took ")).toBe(2);
    expect(kinds('said "a"', "said ")).toBe(2);
    expect(kinds("is undefined", "is ")).toBe(2);
    expect(kinds("is undefined", "is *")).toBe(2);
    const placed = (seq: number, message: string, more: Partial<JudgedOccurrence> = {}): JudgedOccurrence =>
      said("fail", [seq], { message, place: "here", conclusive: true, ...more });
    expect(write(settle([placed(1, "here lacks a"), placed(2, "here lacks b")]))).toHaveLength(2);
    expect(write(settle([placed(1, "here lacks a"), placed(2, "here lacks a", { judge: "i" })]))).toHaveLength(1);
  });

  it("tells once what several spoilt members have in common, where the words name them", () => {
    const fields = ["n", "n", "kind", "size"];
    const subjects = new Map(
      fields.map((field, index): [number, Exchange] => [
        index + 1,
        makeExchange({
          seq: index + 1,
          intent: { kind: "violates", requirement: "T-001", condition: "out-of-range", field, twin: null },
        }),
      ]),
    );
    const told = (say: (field: string) => string, place?: (field: string) => string): readonly string[] =>
      draftFindings(
        settle(
          fields.map((field, index) =>
            said("fail", [index + 1], {
              message: say(field),
              conclusive: true,
              ...(place === undefined ? {} : { place: place(field) }),
            }),
          ),
        ),
        { bySeq: subjects, baseUrl: "http://h", baselined: false },
      ).map(({ message }) => message);
    expect(told((field) => `bad ${field} there`)).toEqual(["bad n there; so it is for kind, size"]);
    expect(told(() => "bad")).toEqual(["bad"]);
    expect(told((field) => `"${field}" is bad`)).toEqual(['"n" is bad']);
    expect(
      told(
        (field) => `here lacks ${field}`,
        () => "here",
      ),
    ).toHaveLength(3);
    const name = "200 to GET /v1/models";
    expect(
      told(
        (field) => `${name} lacks ${field}`,
        (field) => field,
      ),
    ).toEqual([`${name} lacks each of 3 kinds of responses: n, kind, size`]);
  });

  it("falls back on the text of the row where violations in several places say nothing", () => {
    const silent = ["a", "b"].map((place, index) => said("fail", [index + 1], { place, conclusive: true }));
    expect(write(settle(silent)).map(({ message }) => message)).toEqual(["the text of the row"]);
  });

  it("tells what is missing in many places once, by its gravest occurrences", () => {
    const missing = (seq: number, place: string, outcome: "fail" | "advisory" = "fail"): JudgedOccurrence =>
      said(outcome, [seq], { message: `${place} carries no field`, place, conclusive: true });
    const told = (...occurrences: readonly JudgedOccurrence[]): readonly unknown[] =>
      write(settle(occurrences)).map(({ message, verdict, exchanges }) => [message, verdict, exchanges]);
    expect(told(missing(1, "a"), missing(2, "a"))).toEqual([["a carries no field", "fail", [1, 2]]]);
    expect(told(missing(1, "a"), missing(2, "b"), missing(3, "c", "advisory"))).toEqual([
      ["each of 2 kinds of responses carries no field: a, b", "fail", [1, 2]],
    ]);
    expect(told(missing(1, "a"), missing(2, "b"), missing(3, "c"))[0]).toEqual([
      "each of 3 kinds of responses carries no field: a, b, c",
      "fail",
      [1, 2, 3],
    ]);
    expect(told(missing(1, "a"), missing(2, "b"), missing(3, "c"), missing(4, "d"))[0]).toEqual([
      "each of 4 kinds of responses carries no field: a, b, c ...",
      "fail",
      [1, 2, 3, 4],
    ]);
  });

  it("fails lenient readings under --strict where nothing else fails, and never for the overlay", () => {
    const lenient = [said("advisory", [1], { message: "m" })];
    expect(write(settle(lenient)).map(({ verdict }) => verdict)).toEqual(["advisory"]);
    expect(write(settle(lenient, { strict: true })).map(({ verdict }) => verdict)).toEqual(["fail"]);
    const overlay = settle([said("fail", [1], { conclusive: true })], { requirement: { suite: "convention", level: "may" } });
    expect([overlay.verdict, write(overlay).map(({ verdict }) => verdict)]).toEqual(["fail", ["advisory"]]);
  });
});

describe("describeSent", () => {
  const violates = { kind: "violates", requirement: "T-001", twin: null } as const;

  it("names the member at fault", () => {
    const sent = { n: 7, text: "x" };
    const told = (intent: Exchange["intent"]): string => describeSent(makeExchange({ endpoint: "chat", sent, intent }));
    const route = "POST /v1/chat/completions";
    expect(told({ ...violates, condition: "out-of-range", field: "n" })).toBe(`${route} with n: 7`);
    expect(told({ ...violates, condition: "out-of-range", field: "m" })).toBe(`${route} with a bad m`);
    expect(told({ ...violates, condition: "missing-field", field: "n" })).toBe(`${route} without n`);
    expect(told({ ...violates, condition: "malformed-json" })).toBe(`${route} (malformed json)`);
    expect(told({ ...violates, condition: "wrong-media-type" })).toBe(`${route} (wrong media type)`);
    expect(told({ kind: "valid" })).toBe(`${route} with {"n":7,"text":"x"}`);
  });

  it("cuts long paths and long bodies, and only those", () => {
    const path = `/v1/${"p".repeat(196)}`;
    expect(describeSent(makeExchange({ path }))).toBe(`GET ${path}`);
    expect(describeSent(makeExchange({ path: `${path}q` }))).toBe(`GET ${path}...`);
    const sent = "s".repeat(158);
    expect(describeSent(makeExchange({ sent }))).toBe(`GET /v1/models with "${sent}"`);
    expect(describeSent(makeExchange({ sent: `${sent}s` }))).toBe(`GET /v1/models with "${sent}s... (161 characters)`);
    const plain = makeExchange({ sent: "" });
    const empty = { bytes: 0, sha256: "", text: "", truncated: false };
    expect(describeSent({ ...plain, request: { ...plain.request, body: empty } })).toBe("GET /v1/models");
    expect(describeSent({ ...plain, request: { ...plain.request, body: { ...empty, text: "x" } } })).toBe(
      "GET /v1/models with x",
    );
  });
});
