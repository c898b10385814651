import { describe, expect, it } from "vitest";
import type { JudgedOccurrence } from "../../../src/conformance/verdict/judged-occurrence.ts";
import { describeSent, writeFindings } from "../../../src/conformance/verdict/write-findings.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Finding } from "../../../src/core/result/finding.ts";
import { findingId } from "../../../src/core/result/finding-id.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { said, settle, type SettledRow } from "./settle-said.ts";

function writeSettled(settled: readonly SettledRow[], bySeq: ReadonlyMap<number, Exchange>): readonly Finding[] {
  const rows = new Map(settled.map(([row]) => [row.id, row]));
  return writeFindings({ rows, occurrences: settled.flatMap(([, occurrences]) => occurrences), bySeq }, "http://h");
}

describe("writeFindings", () => {
  const bySeq = new Map([1, 2, 3, 4, 5, 6, 7].map((seq) => [seq, makeExchange({ seq })]));
  const write = (...settled: readonly SettledRow[]): readonly Finding[] => writeSettled(settled, bySeq);

  const answer = "200, application/json, 2 bytes: {}";

  it("reports violations of one kind once, with the earliest first", () => {
    const occurrences = [7, 2, 3, 4, 5, 6].map((seq) =>
      said("fail", [seq], {
        kind: "came again",
        message: `"v${"w".repeat(seq)}${seq}" came ${10 ** (seq % 3)} times`,
        expected: "e",
        observed: `o${seq}`,
        conclusive: true,
      }),
    );
    expect(write(settle(occurrences))).toEqual([
      {
        id: findingId("T-001", "came again"),
        stage: "conformance",
        requirement: "T-001",
        also: [],
        check: "j",
        level: "must",
        verdict: "fail",
        message: '"vww2" came 100 times',
        spec: "S",
        sent: "GET /v1/models",
        expected: "e",
        observed: `o2; the answer: ${answer}`,
        forms: [],
        exchanges: [2, 3, 4, 5, 6],
        more: 1,
        curl: "curl -sS -i http://h/v1/models",
        baselined: false,
      },
    ]);
  });

  it("keeps different words apart, and not what several judges say alike", () => {
    const proven = { conclusive: true };
    const found = write(
      settle([
        said("fail", [1], { message: "b", ...proven }),
        said("fail", [2], { message: "a", ...proven }),
        said("fail", [3], { message: "a", judge: "i", ...proven }),
        said("advisory", [4], { message: "a" }),
        said("advisory", [5], { message: "c" }),
        said("fail", [99], proven),
      ]),
    );
    const reported = found.map(({ verdict, message, exchanges, sent, expected, observed }) => [
      verdict,
      message,
      exchanges,
      sent,
      expected,
      observed,
    ]);
    expect(reported.toSorted((one, other) => (String(one) < String(other) ? -1 : 1))).toEqual([
      ["advisory", "c", [5], "GET /v1/models", "the text of the row", answer],
      ["fail", "a", [2, 3], "GET /v1/models", "the text of the row", answer],
      ["fail", "b", [1], "GET /v1/models", "the text of the row", answer],
      ["fail", "the text of the row", [99], null, "the text of the row", "a violation"],
    ]);
  });

  it("keeps together what judges give one kind, whatever the words, and apart what they give another", () => {
    const named = (seq: number, kind: string, more: Partial<JudgedOccurrence>): JudgedOccurrence =>
      said("fail", [seq], { kind, conclusive: true, ...more });
    const found = write(
      settle([
        named(1, "k", { message: "one thing" }),
        named(2, "k", { message: "quite another", judge: "i" }),
        named(3, "n", { message: "one thing" }),
      ]),
    );
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set([findingId("T-001", "k"), findingId("T-001", "n")]));
    expect(found.map(({ message }) => message)).toEqual(["one thing", "one thing"]);
    const placed = (kind: string): JudgedOccurrence => named(1, kind, { message: `here ${kind}`, place: "here" });
    expect(write(settle([placed("lacks a"), placed("lacks b")]))).toHaveLength(2);
  });

  it("reports what several rows say of the same answers once, under the row that it violates most often", () => {
    const proven = { conclusive: true, message: "m" };
    const row = (id: string, ...seqs: readonly number[]): SettledRow =>
      settle(
        seqs.map((seq) => said("fail", [seq], { requirement: id, ...proven })),
        { requirement: { id } },
      );
    const reported = (...rows: readonly SettledRow[]): readonly unknown[] =>
      write(...rows).map(({ requirement, also, exchanges }) => [requirement, also, exchanges]);
    expect(reported(row("T-001", 1), row("T-002", 1, 2), row("T-003", 2))).toEqual([["T-002", ["T-001", "T-003"], [1, 2]]]);
    expect(reported(row("T-001", 1, 2), row("T-002", 2, 1))).toEqual([["T-001", ["T-002"], [1, 2]]]);
    // Findings that are not all the same may be two defects.
    expect(reported(row("T-001", 1, 2), row("T-002", 2, 3))).toHaveLength(2);
    expect(
      reported(row("T-001", 1), settle([said("fail", [1], { ...proven, message: "n" })], { requirement: { id: "T-002" } })),
    ).toHaveLength(2);
  });

  it("never joins the overlay with the specification", () => {
    const proven = { conclusive: true, message: "m" };
    const own = settle([said("fail", [1], proven)]);
    const overlay = settle([said("fail", [1], { ...proven, requirement: "T-002" })], {
      requirement: { id: "T-002", suite: "convention", level: "may" },
    });
    expect(write(own, overlay).map(({ requirement, verdict, also }) => [requirement, verdict, also])).toEqual([
      ["T-001", "fail", []],
      ["T-002", "advisory", []],
    ]);
  });

  it("reports once what several spoilt members have in common, where their judge names them", () => {
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
    const reported = (say: (field: string) => Partial<JudgedOccurrence>): readonly string[] => {
      const occurrences = fields.map((field, index) =>
        said("fail", [index + 1], { kind: "bad", conclusive: true, ...say(field) }),
      );
      return writeSettled([settle(occurrences)], subjects).map(({ message }) => message);
    };
    expect(reported((field) => ({ field, message: `bad ${field} there` }))).toEqual(["bad n there; also for kind, size"]);
    expect(reported((field) => ({ message: `bad ${field} there` }))).toEqual(["bad n there"]);
    const name = "200 to GET /v1/models";
    expect(reported((field) => ({ place: field, around: [`${name} lacks `, ""], message: `${name} lacks ${field}` }))).toEqual([
      `${name} lacks each of 3 kinds of responses: n, kind, size`,
    ]);
    // The text of the place may stand elsewhere in the message as well.
    const inBrackets = (field: string): Partial<JudgedOccurrence> => ({
      place: field,
      around: ["of any kind, size and n (", ")"],
    });
    expect(reported((field) => ({ ...inBrackets(field), message: `of any kind, size and n (${field})` }))).toEqual([
      "of any kind, size and n (each of 3 kinds of responses): n, kind, size",
    ]);
  });

  it("leaves a defect to the finding that reports it already, with what else is wrong with the same answer", () => {
    const check = { message: "m", kind: "c", conclusive: true, findings: ["c.00000"] };
    const general = said("fail", [1], { message: "g", conclusive: true });
    const found = write(
      settle([said("fail", [1], check), said("fail", [2], { message: "n", conclusive: true })]),
      settle([general], { requirement: { id: "RATE-045" } }),
    );
    expect(found.map(({ message }) => message)).toEqual(["n"]);
  });

  it("falls back on the text of the row where violations in several places say nothing", () => {
    const silent = ["a", "b"].map((place, index) => said("fail", [index + 1], { place, conclusive: true }));
    expect(write(settle(silent)).map(({ message }) => message)).toEqual(["the text of the row"]);
  });

  it("reports what is missing in many places once, by its gravest occurrences", () => {
    const missing = (seq: number, place: string, outcome: "fail" | "advisory" = "fail"): JudgedOccurrence =>
      said(outcome, [seq], { kind: " carries no field", message: `${place} carries no field`, place, conclusive: true });
    const reported = (...occurrences: readonly JudgedOccurrence[]): readonly unknown[] =>
      write(settle(occurrences)).map(({ message, verdict, exchanges }) => [message, verdict, exchanges]);
    expect(reported(missing(1, "a"), missing(2, "a"))).toEqual([["a carries no field", "fail", [1, 2]]]);
    expect(reported(missing(1, "a"), missing(2, "b"), missing(3, "c", "advisory"))).toEqual([
      ["each of 2 kinds of responses carries no field: a, b", "fail", [1, 2]],
    ]);
    expect(reported(missing(1, "a"), missing(2, "b"), missing(3, "c"))[0]).toEqual([
      "each of 3 kinds of responses carries no field: a, b, c",
      "fail",
      [1, 2, 3],
    ]);
    expect(reported(missing(1, "a"), missing(2, "b"), missing(3, "c"), missing(4, "d"))[0]).toEqual([
      "each of 4 kinds of responses carries no field: a, b, c ...",
      "fail",
      [1, 2, 3, 4],
    ]);
  });

  it("lists the forms in which a defect showed, each with what came back", () => {
    const subjects = new Map(["/a", "/b", "/b"].map((path, index) => [index + 1, makeExchange({ seq: index + 1, path })]));
    const occurrences = [1, 2, 3].map((seq) => said("fail", [seq], { message: "m", observed: `o${seq}`, conclusive: true }));
    const [found] = writeSettled([settle(occurrences)], subjects);
    expect(found?.forms).toEqual([
      { sent: "GET /a", observed: "o1", exchange: 1, count: 1 },
      { sent: "GET /b", observed: "o2", exchange: 2, count: 2 },
    ]);
  });

  it("fails lenient readings under --strict where nothing else fails, and never for the overlay", () => {
    const lenient = [said("advisory", [1], { message: "m" })];
    expect(write(settle(lenient)).map(({ verdict }) => verdict)).toEqual(["advisory"]);
    expect(write(settle(lenient, { strict: true })).map(({ verdict }) => verdict)).toEqual(["fail"]);
    const overlay = settle([said("fail", [1], { conclusive: true })], { requirement: { suite: "convention", level: "may" } });
    expect([overlay[0].verdict, write(overlay).map(({ verdict }) => verdict)]).toEqual(["fail", ["advisory"]]);
  });
});

describe("describeSent", () => {
  const violates = { kind: "violates", requirement: "T-001", twin: null } as const;

  it("names the member at fault", () => {
    const sent = { n: 7, text: "x" };
    const reported = (intent: Exchange["intent"]): string => describeSent(makeExchange({ endpoint: "chat", sent, intent }));
    const route = "POST /v1/chat/completions";
    expect(reported({ ...violates, condition: "out-of-range", field: "n" })).toBe(`${route} with n: 7`);
    expect(reported({ ...violates, condition: "out-of-range", field: "m" })).toBe(`${route} with a bad m`);
    expect(reported({ ...violates, condition: "missing-field", field: "n" })).toBe(`${route} without n`);
    expect(reported({ ...violates, condition: "malformed-json" })).toBe(`${route} (malformed json)`);
    expect(reported({ ...violates, condition: "wrong-media-type" })).toBe(`${route} (wrong media type)`);
    expect(reported({ kind: "valid" })).toBe(`${route} with {"n":7,"text":"x"}`);
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
