import { describe, expect, it } from "vitest";
import { keptConnection, keptConnectionCase } from "../../../../src/conformance/judges/wellformed/kept-connection.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

describe("kept-connection", () => {
  const sent = (seq: number, sentMs: number, id: number, isLost = false): Exchange => {
    const failure = { kind: "reused-connection-closed", message: "closed" } as const;
    const exchange = makeExchange({ seq, caseId: keptConnectionCase, sentMs, ...(isLost ? { status: null, failure } : {}) });
    return { ...exchange, connection: { id, reused: true } };
  };
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] =>
    printJudge(keptConnection, exchanges).map((line) => line.split(":")[0]!);

  it("reports a request that is lost soon after the answer before it", () => {
    expect(outcomes(sent(1, 0, 1), sent(2, 520, 1, true))).toEqual(["SVC-025 pass #1", "SVC-025 fail #2"]);
  });

  it("decides nothing by a loss on a connection that was idle for longer, whatever other connections did meanwhile", () => {
    expect(outcomes(sent(1, 0, 1), sent(2, 521, 1, true))).toEqual(["SVC-025 pass #1", "SVC-025 inconclusive #2"]);
    expect(outcomes(sent(1, 0, 1), sent(2, 500, 2), sent(3, 521, 1, true))).toEqual([
      "SVC-025 pass #1",
      "SVC-025 pass #2",
      "SVC-025 inconclusive #3",
    ]);
  });

  it("passes a service that closes each connection after its answer", () => {
    const alone = (seq: number, sentMs: number): Exchange => ({
      ...sent(seq, sentMs, seq),
      connection: { id: seq, reused: false },
    });
    expect(outcomes(alone(1, 0))).toEqual([]);
    expect(outcomes(alone(1, 0), alone(2, 50))).toEqual(["SVC-025 pass #2"]);
    // That a new connection is lost is no matter of this row.
    const lost = { ...sent(2, 50, 2, true), connection: { id: 2, reused: false } };
    expect(outcomes(alone(1, 0), lost, { ...lost, seq: 3 })).toEqual([]);
  });

  it("counts an answer on a connection that was idle for as long as a slow machine took", () => {
    expect(outcomes(sent(1, 0, 1), sent(2, 30_000, 1))).toEqual(["SVC-025 pass #1", "SVC-025 pass #2"]);
  });
});
