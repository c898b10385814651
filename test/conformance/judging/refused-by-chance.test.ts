import { describe, expect, it } from "vitest";
import { refusedByChance, fisherExact } from "../../../src/conformance/judging/refused-by-chance.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";

describe("fisherExact", () => {
  it.each([
    // The lady who tastes tea, all eight cups right: 1 / 70; six of eight: 17 / 70.
    [4, 0, 0, 4, 1 / 70],
    [3, 1, 1, 3, 17 / 70],
    [0, 5, 5, 5, 1],
    [0, 0, 0, 0, 1],
  ])("gives %i %i %i %i the probability %d", (a, b, c, d, expected) => {
    expect(fisherExact(a, b, c, d)).toBeCloseTo(expected, 10);
  });
});

describe("refusedByChance", () => {
  let seq = 0;
  const sent = (rows: readonly string[], content: string, status: number) => {
    seq += 1;
    return { rows, exchange: factsOf(makeExchange({ seq, endpoint: "chat", status, sent: { content } })) };
  };

  it("finds a refusal that meets equal requests whatever they hold", () => {
    const subjects = Array.from({ length: 30 }, (_, place) =>
      sent([`row-${place % 5}`], `text ${place % 5}`, place % 3 === 0 ? 404 : 200),
    );
    expect(refusedByChance(subjects)?.words).toBe("10 of 30 valid chat requests were answered 404; what they held plays no part");
    expect(refusedByChance(subjects)?.refused.size).toBe(10);
  });

  it("finds none where no equal request is accepted", () => {
    const subjects = Array.from({ length: 30 }, (_, place) =>
      sent([`row-${place % 3}`], `text ${place % 3}`, place % 3 === 0 ? 404 : 200),
    );
    expect(refusedByChance(subjects)).toBeNull();
  });

  it("leaves a refusal to the row that refused requests show more often than chance explains", () => {
    const subjects = Array.from({ length: 40 }, (_, place) => {
      const isOdd = place % 2 === 1;
      return sent([isOdd ? "odd" : "even"], isOdd ? "odd" : "even", isOdd && place !== 1 ? 422 : 200);
    });
    expect(refusedByChance(subjects)).toBeNull();
  });

  it("leaves two refusals, limits and credentials to other rows", () => {
    const served = Array.from({ length: 20 }, () => sent(["row"], "text", 200));
    const refused = (status: number, times: number) => Array.from({ length: times }, () => sent(["row"], "text", status));
    expect(refusedByChance([...served, ...refused(404, 2)])).toBeNull();
    for (const status of [401, 403, 429, 500]) expect(refusedByChance([...served, ...refused(status, 9)])).toBeNull();
    expect(refusedByChance([...served, ...refused(404, 3)])).not.toBeNull();
  });
});
