import { describe, expect, it } from "vitest";
import { outcomesAsStated } from "../../../../src/conformance/judges/outcomes/outcomes-as-stated.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import type { Intent, StatedAnswer } from "../../../../src/core/exchange/intent.ts";
import { type ExchangeDraft, makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

const state = (...answers: readonly StatedAnswer[]): Intent => ({
  kind: "housekeeping",
  purpose: "use a key at its cap",
  answers,
});
const send = (seq: number, draft: ExchangeDraft = {}, retryOf: number | null = null): Exchange => ({
  ...makeExchange({ seq, endpoint: "chat", intent: state(429), status: 429, ...draft }),
  retryOf,
});
const reset = { status: null, failure: { kind: "connection-closed", message: "gone" } } as const;
/** Something that is answered afterwards: the target is still there. */
const later = makeExchange({ seq: 90, endpoint: "models", sentMs: 90_000 });
const outcomes = (...exchanges: readonly Exchange[]): readonly string[] =>
  printJudge(outcomesAsStated, [...exchanges, later]).map((line) => line.split(/[:=]/)[0]?.trim() ?? "");

describe("outcomes-as-stated (SVC-023)", () => {
  it("passes what the state allows, and looks at nothing else", () => {
    expect(outcomes(send(1), makeExchange({ seq: 2, endpoint: "chat", status: 500 }))).toEqual(["SVC-023 pass #1"]);
    const free = { intent: state("2xx", 429) };
    expect(outcomes(send(1, { ...free, status: 200 }), send(2, free))).toEqual(["SVC-023 pass #1", "SVC-023 pass #2"]);
  });

  it.each<readonly [string, ExchangeDraft]>([
    ["a server error", { status: 500 }],
    ["another refusal", { status: 403 }],
    ["a success", { status: 200 }],
    ["a redirect", { status: 302 }],
    ["a reset", reset],
    ["silence", { status: null, failure: { kind: "timeout", message: "" } }],
    ["a cut body", { failure: { kind: "incomplete-body", message: "" } }],
  ])("fails %s that is repeated, with the count", (_name, draft) => {
    const lines = printJudge(outcomesAsStated, [send(1, draft), send(2, draft, 1), send(3), later]);
    expect(lines.filter((line) => line.includes("fail"))).toHaveLength(2);
    expect(lines.join("\n")).toContain("2 of 3");
  });

  it("takes a success that reports a failure for no answer, where nothing wrong was asked for (SVC-023, RATE-045)", () => {
    const received = { error: { message: "overloaded" } };
    const failed = (seq: number, draft: ExchangeDraft): Exchange => send(seq, { status: 200, received, ...draft });
    const served = { intent: state("2xx", 429), status: 200 } as const;
    const often = (draft: ExchangeDraft): readonly string[] =>
      outcomes(...[1, 2, 3, 4].map((seq) => failed(seq, draft)), failed(5, draft), failed(6, draft)).filter((line) =>
        line.includes("fail"),
      );
    expect(outcomes(failed(1, served), { ...failed(2, served), retryOf: 1 })).toEqual(["SVC-023 fail #1", "SVC-023 fail #2"]);
    expect(often({ stage: "limits", intent: { kind: "limit", policy: "tokens", phase: "exhaust" } })).toHaveLength(6);
    const wrong = { intent: { kind: "violates", condition: "unknown-model" } } as const;
    expect(outcomes(failed(1, wrong as ExchangeDraft))).toEqual(["SVC-023 pass #1"]);
  });

  it("asks for a repetition of what was odd once, and records what a repetition does not show", () => {
    expect(outcomes(send(1, reset))).toEqual(["SVC-023 fail #1"]);
    expect(outcomes(send(1, reset), send(2, {}, 1))).toEqual(["SVC-023 observed #1"]);
  });

  it("fails what most requests of a state meet, though none of them twice", () => {
    const seven = [1, 2, 3, 4, 5, 6, 7].map((seq) => send(seq, seq < 7 ? { status: 500 } : {}));
    expect(outcomes(...seven, send(8, {}, 1)).filter((line) => line.includes("fail"))).toHaveLength(6);
  });

  it("holds no 503 against a service that said how long it is away, and was there afterwards", () => {
    const away: ExchangeDraft = { status: 503, headers: [["retry-after", "2"]] };
    expect(outcomes(send(1, away), send(2, away, 1), send(3, {}, 1))).toEqual(["SVC-023 pass #1 #2 #3"]);
    expect(outcomes(send(1, away), send(2, away, 1), send(9, {}, null)).join()).toContain("SVC-023 fail #1");
  });

  it("holds no limit of others, no queue and no fault of the connection against the service", () => {
    const limited = { intent: state("2xx"), status: 429 };
    expect(outcomes(send(1, limited), send(2, limited, 1)).some((line) => line.includes("fail"))).toBe(false);
    const queued: ExchangeDraft = {
      intent: { kind: "housekeeping", purpose: "exceed a burst limit", answers: ["2xx", 429, "queued"] },
      status: null,
      failure: { kind: "timeout", message: "" },
    };
    expect(outcomes(send(1, queued))).toEqual(["SVC-023 pass #1"]);
    expect(outcomes(send(1, { status: null, failure: { kind: "reused-connection-closed", message: "" } }))).toEqual([]);
  });

  it("holds no deadline against the service that passed while the instrument was late, or was shorter than the manifest allows", () => {
    const silent = (rest: ExchangeDraft, ms = 60_000): ExchangeDraft => ({
      status: null,
      failure: { kind: "timeout", message: "no head", bound: { until: "head", ms } },
      endMs: 60_000,
      ...rest,
    });
    const repeated = (draft: ExchangeDraft): readonly string[] =>
      outcomes(send(1, draft), send(2, { ...draft, sentMs: 61_000, endMs: 121_000 }, 1));
    expect(repeated(silent({ lateMs: 20_000 }))).toEqual(["SVC-023 inconclusive #1 #2"]);
    expect(repeated(silent({ lateMs: null }))).toEqual(["SVC-023 inconclusive #1 #2"]);
    expect(repeated(silent({ lateMs: 0 }, 500))).toEqual(["SVC-023 inconclusive #1 #2"]);
    expect(repeated(silent({ lateMs: 0 }))).toEqual(["SVC-023 fail #1", "SVC-023 fail #2"]);
  });

  it("counts the requests of a schedule as each other's repetitions (RATE-045)", () => {
    const driven = (seq: number, draft: ExchangeDraft = {}): Exchange =>
      makeExchange({
        seq,
        stage: "limits",
        endpoint: "models",
        intent: { kind: "limit", policy: "burst", phase: "volley" },
        status: seq < 10 ? 200 : 429,
        ...draft,
      });
    const volley = (...drafts: readonly ExchangeDraft[]): readonly string[] =>
      outcomes(...Array.from({ length: 13 }, (_, index) => driven(index + 1, drafts[12 - index] ?? {}))).filter((line) =>
        line.startsWith("RATE-045 fail"),
      );
    expect(volley()).toEqual([]);
    expect(volley({ status: 503 }, { status: 503 })).toEqual([]);
    expect(volley({ status: 503 }, { status: 503 }, { status: 503 })).toHaveLength(3);
    expect(volley(reset, reset, reset, reset)).toHaveLength(4);
  });

  describe("of an exam in which a service says that it is away", () => {
    const away: ExchangeDraft = { status: 503, headers: [["retry-after", "1"]] };
    const driven = (seq: number, draft: ExchangeDraft = {}, retryOf: number | null = null): Exchange => ({
      ...makeExchange({
        seq,
        stage: "limits",
        endpoint: "models",
        intent: { kind: "limit", policy: "requests", phase: "A" },
        status: 200,
        sentMs: seq * 1000,
        ...draft,
      }),
      retryOf,
    });
    const said = (...exchanges: readonly Exchange[]): readonly string[] =>
      outcomes(...exchanges, ...Array.from({ length: 60 }, (_, index) => driven(10 + index))).filter(
        (line) => !line.includes("pass"),
      );

    it("leaves open what was not asked again after the wait", () => {
      expect(said(driven(3, away), driven(4, { ...away, sentMs: 3500 }, 3))).toEqual(["RATE-045 inconclusive #3 #4"]);
      expect(said(driven(3, away), driven(4, away), driven(5, away), driven(6, away))).toHaveLength(1);
    });

    it("fails what is repeated after it", () => {
      expect(said(driven(3, away), driven(5, away, 3))).toEqual(["RATE-045 fail #3", "RATE-045 fail #5"]);
    });

    it("takes a request without a key for a witness that it was away for everybody", () => {
      const tick = { ...driven(5, away), keyName: null };
      const atOnce = [1, 2, 3, 4].map((seq) => driven(seq, { ...away, sentMs: 1000 + seq }));
      const back = driven(6, {}, 1);
      expect(said(...atOnce, back)).toEqual(["RATE-045 inconclusive #2 #3 #4"]);
      expect(said(...atOnce, tick, back)).toEqual([]);
      expect(said(...atOnce, { ...tick, response: { ...tick.response!, status: 401 } }, back)).toContain(
        "RATE-045 inconclusive #2 #3 #4",
      );
    });
  });

  it("accuses nobody where nothing at all was answered any more", () => {
    expect(outcomes(send(91, { ...reset, sentMs: 95_000 }), send(92, { ...reset, sentMs: 96_000 }, 91))).toEqual([
      "SVC-023 inconclusive #91 #92",
    ]);
  });
});
