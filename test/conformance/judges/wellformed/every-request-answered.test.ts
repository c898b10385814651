import { describe, expect, it } from "vitest";
import { everyRequestAnswered } from "../../../../src/conformance/judges/wellformed/every-request-answered.ts";
import type { Exchange, TransportFailure } from "../../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { factsOf } from "../../../../src/core/exchange/exchange-facts.ts";
import { contextWith } from "../../../suites/judge-with.ts";
import { printJudge } from "../print-occurrences.ts";

const failed = (kind: TransportFailure["kind"]): ExchangeDraft => ({ status: null, failure: { kind, message: "gone" } });
const send = (seq: number, draft: ExchangeDraft = {}, retryOf: number | null = null): Exchange => ({
  ...makeExchange({ seq, endpoint: "chat", ...draft }),
  retryOf,
});
const outcomes = (...exchanges: readonly Exchange[]): readonly string[] =>
  printJudge(everyRequestAnswered, exchanges).map((line) => line.split(/[:=]/)[0]?.trim() ?? "");
type Late = { readonly lateMs?: number | null; readonly bound?: { readonly until: "head"; readonly ms: number } };
const later = send(90, { endpoint: "models" });

describe("every-request-answered (SVC-021)", () => {
  it("passes each request that has a whole answer, whatever it says", () => {
    expect(outcomes(send(1), send(2, { status: 422 }))).toEqual(["SVC-021 pass #1", "SVC-021 pass #2"]);
  });

  it.each(["incomplete-body", "connection-closed", "timeout", "stream-timeout", "invalid-http"] as const)(
    "fails with the count where %s comes at every attempt",
    (kind) => {
      const lines = printJudge(everyRequestAnswered, [send(1, failed(kind)), send(2, failed(kind), 1), send(3), later]);
      expect(lines.find((line) => line.includes("fail"))).toContain("1 of 2 requests, 1 of them each time they were sent");
    },
  );

  it("fails where a valid request ends in a server error each time, not where a wrong one does", () => {
    expect(outcomes(send(1, { status: 500 }), send(2, { status: 502 }, 1), later)).toContain("SVC-021 fail #1 #2");
    const wrong = { status: 500, intent: { kind: "probe-unspecified", requirement: "SVC-017", question: "" } } as const;
    expect(outcomes(send(1, wrong), send(2, wrong, 1), later)).toEqual(["SVC-021 pass #90", "SVC-021 pass #1 #2"].toReversed());
  });

  it("records what passes when it is repeated, until there is too much of it", () => {
    const once = (root: number): readonly Exchange[] => [send(root, failed("timeout")), send(root + 1, {}, root)];
    expect(outcomes(...once(1), ...once(3), later)).toContain("SVC-021 observed #1 #2 #3 #4");
    expect(outcomes(...once(1), ...once(3), ...once(5), later)).toContain("SVC-021 fail #1 #2 #3 #4 #5 #6");
  });

  it("fails where only what leaves together is in trouble, however many are answered alone", () => {
    const alone = Array.from({ length: 100 }, (_, index) => send(100 + index, { sentMs: 1000 * index }));
    const together = (troubled: number): readonly Exchange[] =>
      Array.from({ length: 32 }, (_, index) => [
        send(1000 + index, { sentMs: 500_000, ...(index < troubled ? { ...failed("timeout"), endMs: 502_000 } : {}) }),
        ...(index < troubled ? [send(2000 + index, { sentMs: 600_000 + 1000 * index }, 1000 + index)] : []),
      ]).flat();
    const accused = (troubled: number): boolean =>
      printJudge(everyRequestAnswered, [...alone, ...together(troubled)]).some((line) =>
        line.includes("in flight with 14 others"),
      );
    expect([2, 4, 12].map(accused)).toEqual([false, true, true]);
  });

  it.each([
    ["was late itself", { lateMs: 7000 }],
    ["does not know how late it was", { lateMs: null }],
    ["gave up sooner than the manifest allows", { bound: { until: "head", ms: 500 } }],
  ] as const)("leaves open, and asks again, what a deadline ended while the instrument %s", (_, { bound, ...rest }: Late) => {
    const failure = { kind: "timeout", message: "no head", ...(bound === undefined ? {} : { bound }) } as const;
    const silent: ExchangeDraft = { status: null, failure, endMs: 60_000, ...rest };
    const lines = [...everyRequestAnswered.judge([send(1, silent), send(2, silent, 1), later].map(factsOf), contextWith({}))];
    expect(lines.filter(({ exchanges: [seq] }) => seq === 1)).toMatchObject([{ outcome: "inconclusive", asksAgain: true }]);
  });

  it.each(["connection-closed", "incomplete-body"] as const)(
    "leaves open, and asks again, where %s ended what a slow client may have caused",
    (kind) => {
      const record = (lateMs: number | null): readonly Exchange[] => [
        ...Array.from({ length: 20 }, (_, index) =>
          send(index + 1, { sentMs: 10 * index, endMs: 25_000, lateMs, ...(index < 5 ? failed(kind) : {}) }),
        ),
        send(90, { endpoint: "models", sentMs: 90_000 }),
      ];
      const verdictsOf = (lateMs: number | null): readonly string[] => [
        ...new Set(outcomes(...record(lateMs)).map((line) => line.split(" ")[1]!)),
      ];
      expect(verdictsOf(20_000).toSorted()).toEqual(["inconclusive", "pass"]);
      expect(verdictsOf(100)).toContain("fail");
      expect(verdictsOf(null)).toContain("fail");
      const lines = [...everyRequestAnswered.judge(record(20_000).map(factsOf), contextWith({}))];
      expect(lines.filter(({ outcome }) => outcome === "inconclusive").every(({ asksAgain }) => asksAgain)).toBe(true);
    },
  );

  it("accuses nobody where the whole service stood still, and the form where others were served", () => {
    const silent = (seq: number, sentMs: number, retryOf: number | null = null): Exchange =>
      send(seq, { ...failed("timeout"), sentMs, endMs: sentMs + 30_000 }, retryOf);
    const probe = [silent(1, 10_000), silent(2, 60_000, 1), send(91, { endpoint: "models", sentMs: 99_000 })];
    const other = (seq: number, sentMs: number, endMs: number): Exchange => send(seq, { endpoint: "models", sentMs, endMs });
    expect(outcomes(...probe, other(80, 10_500, 41_000), other(81, 60_500, 91_000))).toContain("SVC-021 inconclusive #1 #2");
    expect(outcomes(...probe, other(80, 20_000, 20_020), other(81, 70_000, 70_020))).toContain("SVC-021 fail #1 #2");
    expect(outcomes(...probe)).toContain("SVC-021 fail #1 #2");
  });

  it("accuses nobody where nothing at all was answered any more", () => {
    expect(outcomes(send(1, { sentMs: 50, status: 503 }), send(2, { status: 503 }, 1))).toEqual(["SVC-021 inconclusive #1 #2"]);
  });

  it("holds neither our own limits nor closed idle connections against the service", () => {
    for (const kind of ["reused-connection-closed", "connect-refused", "budget", "aborted"] as const) {
      expect(outcomes(send(1, failed(kind)), send(2, failed(kind), 1), later)).toEqual(["SVC-021 pass #90"]);
    }
  });

  it("lets what exceeds a burst limit wait in a queue, but not be cut off", () => {
    const exceed = (kind: TransportFailure["kind"]): readonly Exchange[] =>
      [1, 2, 3].map((seq) => send(seq, { ...failed(kind), intent: { kind: "housekeeping", purpose: "exceed a burst limit" } }));
    expect(outcomes(...exceed("timeout"), later)).toEqual(["SVC-021 pass #90"]);
    expect(outcomes(...exceed("incomplete-body"), later)).toContain("SVC-021 fail #1 #2 #3");
  });

  it("takes limits that pass when their wait is kept for no accident, however many requests meet them", () => {
    const refused = (root: number): readonly Exchange[] => [send(root, { status: 429 }), send(root + 1, {}, root)];
    const lines = printJudge(everyRequestAnswered, [...[1, 3, 5, 7, 9, 11].flatMap(refused), later], { exclusive: true });
    expect(lines.filter((line) => line.includes("fail"))).toEqual([]);
    expect(lines.some((line) => line.includes("observed"))).toBe(true);
  });

  it("holds a 429 after each kept wait against the service on exclusive keys only", () => {
    const record = [send(1, { status: 429 }), send(2, { status: 429 }, 1), send(3, { status: 429 }, 1), later];
    expect(outcomes(...record)).not.toContain("SVC-021 fail #1 #2 #3");
    expect(printJudge(everyRequestAnswered, record, { exclusive: true }).join()).toContain("fail #1 #2 #3");
  });
});
