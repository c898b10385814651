import { describe, expect, it } from "vitest";
import { embeddingRelations } from "../../../../src/conformance/judges/embeddings/embedding-relations.ts";
import { embeddingDimensions } from "../../../../src/conformance/judges/embeddings/embedding-dimensions.ts";
import { relationsHold } from "../../../../src/conformance/judges/relations/relations-hold.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

type Request = Readonly<Record<string, unknown>>;

/** Answers with these vectors and prompt tokens, numbered from 1; a case other than the usual one by `caseId`. */
function outcomes(
  requirement: string,
  ...answers: readonly (readonly [request: Request, vectors: readonly unknown[], tokens?: unknown, caseId?: string])[]
): readonly string[] {
  const exchanges = answers.map(([request, vectors, tokens, caseId = "case"], index): Exchange => {
    const data = vectors.map((embedding, position) => ({ index: position, embedding }));
    const received = { data, usage: { prompt_tokens: tokens } };
    return makeExchange({ seq: index + 1, endpoint: "embeddings", caseId, sent: { model: "m", ...request }, received });
  });
  return printJudge(embeddingRelations, exchanges).filter((line) => line.startsWith(requirement));
}

function encode(...numbers: readonly number[]): string {
  return Buffer.from(Float32Array.from(numbers).buffer).toString("base64");
}

const a = { input: "a" };
const encoded = { input: "a", encoding_format: "base64" };
const both = { input: ["a", "b"] };

describe("EMB-015: both encodings of a text", () => {
  const differ = "the two encodings of one text give different vectors [expected a difference of at most 0.001 in every element]";

  it("differ by 0.001 at most", () => {
    expect(outcomes("EMB-015", [a, [[0.001]]], [encoded, [encode(0)]])).toEqual(["EMB-015 pass #2 #1"]);
    expect(outcomes("EMB-015", [a, [[0.0011]]], [encoded, [encode(0)]])).toEqual([
      `EMB-015 fail #2 #1: ${differ} [observed a difference of up to 1.1e-3]`,
    ]);
    expect(outcomes("EMB-015", [a, [[0.5]]], [encoded, [encode(0.5, 0.25, 0.125)]])).toEqual([
      `EMB-015 fail #2 #1: ${differ} [observed vectors of 1 and 3 elements]`,
    ]);
  });

  it("are compared where both can be read, of one model, length and text", () => {
    expect(outcomes("EMB-015", [a, [null]], [encoded, [encode(0)]])).toEqual([]);
    expect(outcomes("EMB-015", [a, [[0]]], [encoded, ["?"]])).toEqual([]);
    expect(outcomes("EMB-015", [{ ...a, model: "n" }, [[0]]], [encoded, [encode(0)]])).toEqual([]);
    expect(outcomes("EMB-015", [{ ...a, dimensions: 1 }, [[0]]], [encoded, [encode(0)]])).toEqual([]);
    expect(outcomes("EMB-015", [{ input: "b" }, [[0]]], [encoded, [encode(0)]])).toEqual([]);
  });
});

describe("EMB-015: entries of a batch", () => {
  const places = { float: [0, 1], reversed: [1, 0] };

  function compare(order: readonly number[], vectors: readonly (readonly number[])[]): readonly string[] {
    const exchanges = (["float", "base64"] as const).map((encoding_format, index): Exchange => {
      const data = (encoding_format === "float" ? places.float : order).map((place) => {
        const vector =
          encoding_format === "float"
            ? [
                [1, 0],
                [0, 1],
              ][place]
            : vectors[place];
        return { index: place, embedding: encoding_format === "float" ? vector : encode(...(vector ?? [])) };
      });
      const sent = { model: "m", input: ["a", "b"], encoding_format };
      return makeExchange({ seq: index + 1, endpoint: "embeddings", sent, received: { data } });
    });
    return printJudge(relationsHold, exchanges).filter((line) => line.startsWith("EMB-015"));
  }

  it("are found by their index, in whatever order they stand", () => {
    expect(
      compare(places.float, [
        [1, 0],
        [0, 1],
      ]),
    ).toEqual(["EMB-015 pass #2 #1"]);
    expect(
      compare(places.reversed, [
        [1, 0],
        [0, 1],
      ]),
    ).toEqual(["EMB-015 pass #2 #1"]);
    expect(
      compare(places.reversed, [
        [0, 1],
        [1, 0],
      ])[0],
    ).toMatch(/^EMB-015 fail #2 #1: .*entry 0 of #2/);
  });
});

describe("EMB-018 and EMB-019: the width of a number in base64", () => {
  const doubles = (count: number): string => Buffer.from(new Float64Array(count).fill(0.5).buffer).toString("base64");

  function judge(...answers: readonly (readonly [request: Request, vector: unknown])[]): readonly string[] {
    const exchanges = answers.map(([request, embedding], index): Exchange => {
      const received = { data: [{ index: 0, embedding }] };
      return makeExchange({ seq: index + 1, endpoint: "embeddings", sent: { model: "m", ...request }, received });
    });
    return printJudge(embeddingDimensions, exchanges).map((line) => line.split(":")[0] ?? "");
  }

  it("may be 64 bits where the service shows it", () => {
    const plain = [a, [0.5, 0.5, 0.5, 0.5]] as const;
    const asked = { ...encoded, dimensions: 3 };
    expect(judge(plain, [encoded, doubles(4)], [asked, doubles(3)])).toEqual(["EMB-018 pass #3", "EMB-019 pass #2 #1"]);
    expect(judge(plain, [encoded, doubles(4)], [asked, doubles(4)])).toEqual(["EMB-018 fail #3", "EMB-019 pass #2 #1"]);
    expect(judge(plain, [encoded, doubles(3)])).toEqual(["EMB-019 fail #2 #1"]);
  });
});

describe("EMB-032: the same text twice", () => {
  const twice = "EMB-032 observed #2 #1: the same text was sent twice";

  it("is noted with the difference", () => {
    expect(outcomes("EMB-032", [a, [[0.5]]], [a, [[0.5]]])).toEqual([
      `${twice} = the vector is repeated exactly [observed a difference of up to 0.0e+0]`,
    ]);
    expect(outcomes("EMB-032", [a, [[0.5, 1]]], [a, [[0.75, 1]]])).toEqual([
      `${twice} = the vector is not repeated exactly [observed a difference of up to 2.5e-1]`,
    ]);
  });

  it("needs two vectors in one encoding", () => {
    expect(outcomes("EMB-032", [a, [null]], [a, [[1]]])).toEqual([]);
    expect(outcomes("EMB-032", [a, [[1]]], [a, [null]])).toEqual([]);
    expect(outcomes("EMB-032", [a, [[1]]], [encoded, [encode(1)]])).toEqual([]);
    expect(outcomes("EMB-032", [a, [[1]]])).toEqual([]);
  });
});

describe("EMB-035: a text and its beginning", () => {
  const long = { input: "ab" };

  it("cost no fewer tokens together", () => {
    expect(outcomes("EMB-035", [a, [], 2], [long, [], 2])).toEqual(["EMB-035 pass #2 #1"]);
    expect(outcomes("EMB-035", [long, [], 1], [a, [], 2])).toEqual([
      "EMB-035 fail #1 #2: a longer input is reported with fewer tokens than its own beginning [expected at least 2 prompt tokens] [observed 1]",
    ]);
  });

  it("are compared within one case and model, by counts that are numbers", () => {
    expect(outcomes("EMB-035", [a, [], 2, "other"], [long, [], 1])).toEqual([]);
    expect(outcomes("EMB-035", [{ ...a, model: "n" }, [], 2], [long, [], 1])).toEqual([]);
    expect(outcomes("EMB-035", [a, [], 2], [a, [], 1])).toEqual([]);
    expect(outcomes("EMB-035", [{ input: "b" }, [], 2], [long, [], 1])).toEqual([]);
    for (const [less, more] of [
      [undefined, 1],
      [2, undefined],
      ["2", 1],
      [2, "1"],
    ]) {
      expect(outcomes("EMB-035", [a, [], less], [long, [], more])).toEqual([]);
    }
  });
});

describe("EMB-031: a text in a batch", () => {
  const b = { input: "b" };
  const other = (position: number): string =>
    `the vector of entry ${position} of a batch is not the vector of the same text alone [expected a cosine of at least 0.999]`;

  it("has a cosine of 0.999 with the text alone at least", () => {
    // 999² + 44² + 7² + 3² + 2² + 1² = 1000².
    const axis = [1, 0, 0, 0, 0, 0];
    expect(outcomes("EMB-031", [a, [axis]], [both, [[999, 44, 7, 3, 2, 1]]])).toEqual(["EMB-031 pass #2 #1"]);
    expect(outcomes("EMB-031", [b, [[6, 8]]], [both, [[], [3, 0]]])).toEqual([
      `EMB-031 fail #2 #1: ${other(1)} [observed 0.6000]`,
    ]);
  });

  it("has as many dimensions", () => {
    expect(outcomes("EMB-031", [a, [[1, 0]]], [both, [[1, 0, 0]]])).toEqual([
      `EMB-031 fail #2 #1: ${other(0)} [observed 2 and 3 dimensions]`,
    ]);
  });

  it("may be all zeros like the text alone, and not unlike it", () => {
    expect(outcomes("EMB-031", [a, [[0, 0]]], [both, [[0, 0]]])).toEqual(["EMB-031 pass #2 #1"]);
    const stated = [`EMB-031 fail #2 #1: ${other(0)} [observed 0.0000]`];
    expect(outcomes("EMB-031", [a, [[0, 0]]], [both, [[1, 0]]])).toEqual(stated);
    expect(outcomes("EMB-031", [a, [[1, 0]]], [both, [[0, 0]]])).toEqual(stated);
  });

  it("is compared where both can be read, in one encoding of one model", () => {
    expect(outcomes("EMB-031", [a, [null]], [both, [[1]]])).toEqual([]);
    expect(outcomes("EMB-031", [a, [[1]]], [both, [null]])).toEqual([]);
    expect(outcomes("EMB-031", [encoded, [encode(1)]], [both, [[1]]])).toEqual([]);
    expect(outcomes("EMB-031", [{ ...a, model: "n" }, [[1]]], [both, [[1]]])).toEqual([]);
    expect(outcomes("EMB-031", [a, [[1]]], [{ input: ["a"] }, [[1]]])).toEqual([]);
  });

  it("adds its tokens to those of the others (EMB-036)", () => {
    const beside = "EMB-036 observed #3 #1 #2: the tokens of a batch compared with those of its entries";
    expect(outcomes("EMB-036", [a, [], 1], [b, [], 2], [both, [], 3])).toEqual([
      `${beside} = the batch is the sum of its entries [observed 3 for the batch, 3 for its entries]`,
    ]);
    expect(outcomes("EMB-036", [a, [], 1], [b, [], 2], [both, [], 4])).toEqual([
      `${beside} = the batch is not the sum of its entries [observed 4 for the batch, 3 for its entries]`,
    ]);
    expect(outcomes("EMB-036", [a, [], 1], [b, [], null], [both, [], 4])).toEqual([]);
    expect(outcomes("EMB-036", [a, [], 1], [b, [], 2], [both, []])).toEqual([]);
    expect(outcomes("EMB-036", [a, [], 1], [both, [], 4])).toEqual([]);
  });
});
