import * as fc from "fast-check";
import { jsonBody } from "../../../src/conformance/judges/wellformed/json-body.ts";
import { describe, expect, it } from "vitest";
import { embeddingAcceptance } from "../../../src/conformance/judges/embeddings/embedding-acceptance.ts";
import { embeddingCount } from "../../../src/conformance/judges/embeddings/embedding-count.ts";
import { embeddingDimensions } from "../../../src/conformance/judges/embeddings/embedding-dimensions.ts";
import { embeddingEncoding } from "../../../src/conformance/judges/embeddings/embedding-encoding.ts";
import {
  embeddingListBase64Shape,
  embeddingListFloatShape,
} from "../../../src/conformance/judges/embeddings/embedding-list-shape.ts";
import { embeddingUsage } from "../../../src/conformance/judges/embeddings/embedding-usage.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";
import { decodeFloat32 } from "../../../src/conformance/judges/embeddings/embedding-answer.ts";

interface EmbeddingDraft extends ExchangeDraft {
  readonly tokens?: unknown;
}

/** An answer with these vectors, in the order of the inputs. */
function answer(request: object, vectors: readonly unknown[], { tokens, ...draft }: EmbeddingDraft = {}): Exchange {
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
  return makeExchange({
    endpoint: "embeddings",
    sent: { model: "m", ...request },
    received: { object: "list", data, usage: { prompt_tokens: tokens } },
    ...draft,
  });
}

function encode(...numbers: readonly number[]): string {
  return Buffer.from(Float32Array.from(numbers).buffer).toString("base64");
}

const base64 = { input: "a", encoding_format: "base64" };

describe("answers that embedding judges read", () => {
  it("are none where the request holds no text or names no known encoding", () => {
    expect(printJudge(embeddingCount, [answer({ input: ["a", 5] }, [[1], [2]])])).toEqual([]);
    for (const judge of [embeddingCount, embeddingListFloatShape, embeddingListBase64Shape]) {
      expect(printJudge(judge, [answer({ input: "a", encoding_format: "hex" }, [[1]])])).toEqual([]);
    }
    expect(printJudge(embeddingCount, [answer({ input: "a", encoding_format: null }, [[1]])])).toHaveLength(2);
  });
});

describe("decodeFloat32", () => {
  it("is the inverse of writing 32-bit floats in little-endian order", () => {
    fc.assert(
      fc.property(fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 40 }), (numbers) => {
        expect(decodeFloat32(encode(...numbers))).toEqual([...Float32Array.from(numbers)]);
      }),
    );
  });

  it.each(["", "not base64!", "AACAPw", "AACA Pw==", "AACA", encode(Number.POSITIVE_INFINITY)])("refuses %j", (text) => {
    expect(decodeFloat32(text)).toBeNull();
  });
});

describe("embedding-count", () => {
  it("wants one vector for each input and indexes that cover them, in any order", () => {
    const outcomes = (input: unknown, ...indexes: readonly number[]): readonly string[] => {
      const data = indexes.map((index) => ({ index, embedding: [1] }));
      return printJudge(embeddingCount, [answer({ input }, [], { received: { data } })]).map((line) => line.slice(0, 12));
    };
    const both = ["a", "b"];
    expect(outcomes("a", 0)).toEqual(["EMB-001 pass", "EMB-003 pass"]);
    expect(outcomes(both, 1, 0)).toEqual(["EMB-002 pass", "EMB-003 pass"]);
    expect(outcomes(both, 0)).toEqual(["EMB-002 fail", "EMB-003 fail"]);
    expect(outcomes(both, 0, 0)).toEqual(["EMB-002 pass", "EMB-003 fail"]);
    expect(outcomes(both, 1, 2)).toEqual(["EMB-002 pass", "EMB-003 fail"]);
  });

  it("wants it of blank texts, too, where they are accepted", () => {
    const intent = { kind: "probe-unspecified", requirement: "EMB-007", question: "blank text in a list" } as const;
    const received = { data: [{ index: 0, embedding: [1] }] };
    const lines = printJudge(embeddingCount, [answer({ input: ["a", " "] }, [], { received, intent })]);
    expect(lines.map((line) => line.slice(0, 12))).toEqual(["EMB-002 fail", "EMB-003 fail"]);
  });
});

describe("embedding-encoding", () => {
  const outcomes = (request: object, ...vectors: readonly unknown[]): readonly string[] =>
    printJudge(embeddingEncoding, [answer(request, vectors)]).filter((line) => !line.startsWith("EMB-039"));

  it.each([
    ["a text", "a string"],
    [null, "null"],
    [undefined, "nothing"],
    [[], "an array"],
    [["0.5"], "an array"],
    [[0.5, null], "an array"],
  ])("wants numbers and not %j", (vector, observed) => {
    const reported = (requirement: string): readonly string[] => [
      `${requirement} fail #1: a vector that should be written as numbers is not an array of finite numbers [expected an array of finite numbers for each input] [observed ${observed}]`,
    ];
    expect(outcomes({ input: ["a", "b"] }, [0.5], vector)).toEqual(reported("EMB-012"));
    expect(outcomes({ input: ["a", "b"], encoding_format: "float" }, vector, [0.5])).toEqual(reported("EMB-011"));
  });

  it("leaves a number beyond all bounds to the judge of JSON", () => {
    const received = '{"data":[{"index":0,"embedding":[1e999]}]}';
    const answers = [answer({ input: "a" }, [], { received })];
    expect(printJudge(embeddingEncoding, answers)).toEqual([]);
    expect(printJudge(jsonBody, answers)[0]).toContain("SVC-001 fail #1");
  });

  it.each([
    ["AAA=", "a string of 4 characters that does not decode"],
    [encode(1, Number.POSITIVE_INFINITY), "a string of 12 characters that does not decode"],
    [[encode(1)], "an array"],
    [7, "an integer"],
    [undefined, "nothing"],
  ])("wants 32-bit floats and not %j", (vector, observed) => {
    const reported = [
      `EMB-014 fail #1: a vector that was requested in base64 does not decode to 32-bit floats [expected base64 of 32-bit floats, little-endian, for each input] [observed ${observed}]`,
    ];
    expect(outcomes({ ...base64, input: ["a", "b"] }, encode(1), vector)).toEqual(reported);
    expect(outcomes({ ...base64, input: ["a", "b"] }, vector, encode(1))).toEqual(reported);
  });

  it("only advises against numbers in place of base64, if all are", () => {
    const expected = "[expected base64 of 32-bit floats, little-endian, for each input] [observed an array]";
    expect(outcomes({ ...base64, input: ["a", "b"] }, [1], [2])).toEqual([
      `EMB-014 advisory #1: base64 was requested and arrays of numbers came ${expected}`,
    ]);
    expect(outcomes({ ...base64, input: ["a", "b"] }, encode(1), [2])).toEqual([
      `EMB-014 fail #1: a vector that was requested in base64 does not decode to 32-bit floats ${expected}`,
    ]);
  });

  it.each([
    [encode(1), "pass"],
    ["AAA=\r\n", "pass"],
    [encode(Number.NaN), "pass"],
    [Buffer.from([251, 255, 190, 62]).toString("base64url"), "fail"],
    ["AA==AA", "fail"],
    ["AA AA", "fail"],
  ])("knows the alphabet of base64 and %j", (vector, outcome) => {
    const line = printJudge(embeddingEncoding, [answer(base64, [vector])]).find((one) => one.startsWith("EMB-039"));
    expect(line).toMatch(new RegExp(`^EMB-039 ${outcome} #1`));
  });
});

describe("embedding-dimensions", () => {
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(embeddingDimensions, exchanges);
  const [two, three] = [
    [1, 0],
    [1, 0, 0],
  ];

  it("wants the requested length of every vector that can be read", () => {
    const request = { input: ["a", "b"], dimensions: 2 };
    expect(outcomes(answer(request, [two, two]))).toEqual(["EMB-018 pass #1"]);
    expect(outcomes(answer(request, [null, null]))).toEqual([]);
    expect(outcomes(answer(request, [two, three]))).toEqual([
      "EMB-018 fail #1: the requested number of dimensions is not the length of the vectors [expected 2 dimensions] [observed 2, 3 dimensions]",
    ]);
  });

  it("is decided by a number that is no default of the model and is not refused", () => {
    const usual = answer({ input: "a" }, [three], { seq: 1 });
    const same = answer({ input: "a", dimensions: 3 }, [three], { seq: 2 });
    const other = answer({ input: "a", dimensions: 2 }, [two], { seq: 3 });
    expect(outcomes(usual, same)[0]).toContain("EMB-018 inconclusive #2: 3 dimensions are the default");
    expect(outcomes(usual, same, other)).toEqual(["EMB-018 pass #3"]);
    expect(outcomes(usual, other, answer({ input: "a", dimensions: 5 }, [], { seq: 4, status: 422 }))).toEqual([
      "EMB-018 pass #3",
    ]);
  });

  it("leaves a number that a model refuses open, from status 400 on", () => {
    const refused = (status: number | null, draft: ExchangeDraft = {}): readonly string[] =>
      outcomes(answer({ input: "a", dimensions: 2 }, [], { status, ...draft }));
    const reported = (what: string): readonly string[] => [
      `EMB-018 inconclusive #1: the model did not take the requested dimensions (${what}); name another number or set features.dimensions to false`,
    ];
    expect(refused(400)).toEqual(reported("400"));
    expect(refused(null)).toEqual(reported("answered nothing"));
    expect([...refused(399), ...refused(400, { stage: "load" }), ...refused(400, { endpoint: "chat" })]).toEqual([]);
  });

  it("wants one length of a model wherever none is requested", () => {
    const [one, same] = [answer({ input: "a" }, [two]), answer({ input: "b" }, [two], { seq: 2 })];
    expect(outcomes(one, same)).toEqual(["EMB-019 pass #2 #1"]);
    const changed =
      "the length of the vectors of one model changes although no dimensions were requested [expected 2 dimensions as before]";
    expect(outcomes(one, answer({ input: "b" }, [three], { seq: 2 }), answer({ input: "c" }, [two], { seq: 3 }))).toEqual([
      `EMB-019 fail #2 #1: ${changed} [observed 3 dimensions]`,
      "EMB-019 pass #3 #1",
    ]);
    expect(outcomes(one, answer({ input: ["b", "c"] }, [two, three], { seq: 2 }))).toEqual([
      `EMB-019 fail #2 #1: ${changed} [observed 2, 3 dimensions]`,
    ]);
    expect(outcomes(one, answer({ input: "b", model: "n" }, [three], { seq: 2 }))).toEqual([]);
    expect(outcomes(one, answer({ input: "b" }, [null], { seq: 2 }))).toEqual([]);
  });

  it("accuses the very first answer of several lengths", () => {
    expect(outcomes(answer({ input: ["a", "b"] }, [two, three]))).toEqual([
      "EMB-019 fail #1: the length of the vectors of one model changes although no dimensions were requested [expected 2 dimensions as before] [observed 2, 3 dimensions]",
    ]);
  });
});

describe("embedding-list-base64-shape", () => {
  it("wants a vector in each entry", () => {
    const received = { object: "list", data: [{ object: "embedding", index: 0 }], model: "m", usage: {} };
    const reported = printJudge(embeddingListBase64Shape, [answer(base64, [], { received })]);
    expect(reported).toContain(
      "EMB-033 fail #1: /data/0/embedding is missing [expected the vector of the entry] [observed the member is missing]",
    );
  });
});

describe("embedding-usage", () => {
  it.each([
    [undefined, "no usage"],
    [7, "7"],
    [null, "null"],
  ])("wants a total and not a usage of %j", (usage, observed) => {
    expect(printJudge(embeddingUsage, [answer({ input: "a" }, [], { received: { usage } })])).toEqual([
      `EMB-029 fail #1: without usage there is no total number of tokens [expected usage.total_tokens] [observed ${observed}]`,
    ]);
  });
});

describe("embedding-acceptance", () => {
  it("shows the encoding only beside input and model", () => {
    const rows = (request: object): readonly string[] =>
      printJudge(embeddingAcceptance, [answer(request, [])]).map((line) => line.replace(" pass #1", ""));
    expect(rows({ input: "a", encoding_format: "float" })).toEqual(["SVC-004", "EMB-001", "EMB-011"]);
    expect(rows({ ...base64, dimensions: 2 })).toEqual(["SVC-004"]);
    expect(rows({ input: ["a"] })).toEqual(["SVC-004", "EMB-002", "EMB-012"]);
  });

  it("names what a refusal is blamed on", () => {
    const blamed = (request: object): readonly string[] =>
      printJudge(embeddingAcceptance, [answer({ input: "a", user: "u" }, []), answer(request, [], { seq: 2, status: 422 })])
        .slice(1)
        .map((line) => line.replace(/ fail #2: a valid request is refused: (.*) \[expected a 2xx answer to \1\].*/, ": $1"));
    expect(blamed({ input: ["a"] })).toEqual(["EMB-002: a list of strings as input", "EMB-012: no encoding_format"]);
    expect(blamed({ input: "a", encoding_format: "float" })).toEqual([
      "EMB-001: one string as input",
      "EMB-011: encoding_format float",
    ]);
    expect(blamed(base64)).toEqual(["EMB-001: one string as input", "EMB-013: encoding_format base64"]);
  });
});
