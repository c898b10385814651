import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeFloat32 } from "../../../../src/conformance/judges/embeddings/decode-float32.ts";
import { embeddingAcceptance } from "../../../../src/conformance/judges/embeddings/embedding-acceptance.ts";
import { embeddingCount } from "../../../../src/conformance/judges/embeddings/embedding-count.ts";
import { embeddingDimensions } from "../../../../src/conformance/judges/embeddings/embedding-dimensions.ts";
import { embeddingEncoding } from "../../../../src/conformance/judges/embeddings/embedding-encoding.ts";
import { embeddingRelations } from "../../../../src/conformance/judges/embeddings/embedding-relations.ts";
import { embeddingUsage } from "../../../../src/conformance/judges/embeddings/embedding-usage.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { judgeWith, verdictsOn } from "../../../suites/judge-with.ts";
import { makeExchange } from "../../../make/make-exchange.ts";

const model = "embedding-model";
let next = 1;

function answer(
  request: Readonly<Record<string, unknown>>,
  vectors: readonly unknown[],
  more: {
    readonly tokens?: number;
    readonly total?: number;
    readonly status?: number;
    readonly indexes?: readonly unknown[];
    readonly model?: string;
  } = {},
): Exchange {
  const { tokens = 3, total = tokens, status = 200, indexes = vectors.map((_, index) => index) } = more;
  const data = vectors.map((embedding, index) => ({ object: "embedding", index: indexes[index], embedding }));
  const usage = { prompt_tokens: tokens, total_tokens: total };
  next += 1;
  return makeExchange({
    seq: next,
    endpoint: "embeddings",
    sent: { model, ...request },
    status,
    received: status === 200 ? { object: "list", data, model: more.model ?? model, usage } : { error: { code: "invalid" } },
  });
}

function encode(numbers: readonly number[]): string {
  return Buffer.from(Float32Array.from(numbers).buffer).toString("base64");
}

describe("decodeFloat32", () => {
  it("is the inverse of writing 32-bit floats in little-endian order", () => {
    fc.assert(
      fc.property(fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 40 }), (numbers) => {
        expect(decodeFloat32(encode(numbers))).toEqual([...Float32Array.from(numbers)]);
      }),
    );
  });

  it.each([
    ["nothing", ""],
    ["no base64", "not base64!"],
    ["missing padding", "AACAPw"],
    ["white space", "AACA Pw=="],
    ["three bytes", "AACA"],
    ["an infinite number", encode([Number.POSITIVE_INFINITY])],
  ])("refuses %s", (_name, text) => {
    expect(decodeFloat32(text)).toBeNull();
  });
});

describe("embedding-count", () => {
  it("wants one vector for each input and indexes that cover them, in any order", () => {
    expect(judgeWith(embeddingCount, [answer({ input: "a" }, [[1]])])).toEqual(["EMB-001 pass", "EMB-003 pass"]);
    expect(judgeWith(embeddingCount, [answer({ input: ["a", "b"] }, [[1], [2]], { indexes: [1, 0] })])).toEqual([
      "EMB-002 pass",
      "EMB-003 pass",
    ]);
    expect(judgeWith(embeddingCount, [answer({ input: ["a", "b"] }, [[1]])])).toEqual(["EMB-002 fail", "EMB-003 fail"]);
    expect(judgeWith(embeddingCount, [answer({ input: ["a", "b"] }, [[1], [2]], { indexes: [0, 0] })])).toEqual([
      "EMB-002 pass",
      "EMB-003 fail",
    ]);
    expect(judgeWith(embeddingCount, [answer({ input: ["a", "b"] }, [[1], [2]], { indexes: [1, 2] })])).toEqual([
      "EMB-002 pass",
      "EMB-003 fail",
    ]);
  });

  it("has no subject in a refusal or in a request that is wrong on purpose", () => {
    expect(judgeWith(embeddingCount, [answer({ input: "a" }, [], { status: 422 })])).toEqual([]);
    expect(judgeWith(embeddingCount, [answer({ input: 5 }, [[1]])])).toEqual([]);
  });
});

describe("embedding-encoding", () => {
  it("wants arrays of numbers by name and by default, and base64 where it was asked for", () => {
    expect(judgeWith(embeddingEncoding, [answer({ input: "a", encoding_format: "float" }, [[0.5]])])).toEqual(["EMB-011 pass"]);
    expect(judgeWith(embeddingEncoding, [answer({ input: "a" }, [[0.5]])])).toEqual(["EMB-012 pass"]);
    expect(judgeWith(embeddingEncoding, [answer({ input: "a" }, [encode([0.5])])])).toEqual(["EMB-012 fail"]);
    expect(judgeWith(embeddingEncoding, [answer({ input: "a" }, [[0.5, "1"]])])).toEqual(["EMB-012 fail"]);
    expect(judgeWith(embeddingEncoding, [answer({ input: "a" }, [[]])])).toEqual(["EMB-012 fail"]);
    expect(judgeWith(embeddingEncoding, [answer({ input: "a", encoding_format: "base64" }, [encode([0.5])])])).toEqual([
      "EMB-014 pass",
    ]);
  });

  it("only advises against numbers in place of base64, but not against text that does not decode (AMB-30)", () => {
    expect(judgeWith(embeddingEncoding, [answer({ input: "a", encoding_format: "base64" }, [[0.5]])])).toEqual([
      "EMB-014 advisory",
    ]);
    expect(judgeWith(embeddingEncoding, [answer({ input: "a", encoding_format: "base64" }, ["AAA="])])).toEqual(["EMB-014 fail"]);
  });
});

describe("embedding-dimensions", () => {
  it("wants the requested length in both encodings", () => {
    expect(judgeWith(embeddingDimensions, [answer({ input: "a", dimensions: 2 }, [[1, 0]])])).toEqual(["EMB-018 pass"]);
    expect(judgeWith(embeddingDimensions, [answer({ input: "a", dimensions: 2 }, [[1, 0, 0]])])).toEqual(["EMB-018 fail"]);
    const encoded = answer({ input: "a", dimensions: 2, encoding_format: "base64" }, [encode([1, 0, 0])]);
    expect(judgeWith(embeddingDimensions, [encoded])).toEqual(["EMB-018 fail"]);
  });

  it("does not accuse a model that cannot shorten its vectors", () => {
    expect(judgeWith(embeddingDimensions, [answer({ input: "a", dimensions: 2 }, [], { status: 422 })])).toEqual([
      "EMB-018 inconclusive",
    ]);
  });

  it("wants the same length whenever none is requested", () => {
    const [one, two, three] = [answer({ input: "a" }, [[1, 0]]), answer({ input: "b" }, [[0, 1]]), answer({ input: "c" }, [[1]])];
    expect(judgeWith(embeddingDimensions, [one, two])).toEqual(["EMB-019 pass"]);
    expect(judgeWith(embeddingDimensions, [one, three])).toEqual(["EMB-019 fail"]);
    expect(judgeWith(embeddingDimensions, [one])).toEqual([]);
    expect(judgeWith(embeddingDimensions, [one, answer({ input: "c", model: "another" }, [[1]])])).toEqual([]);
  });
});

describe("embedding-usage", () => {
  it("wants the total to be the prompt, and the model to be the requested one", () => {
    expect(judgeWith(embeddingUsage, [answer({ input: "a" }, [[1]])])).toEqual(["EMB-030 pass"]);
    expect(judgeWith(embeddingUsage, [answer({ input: "a" }, [[1]], { tokens: 3, total: 4 })])).toEqual(["EMB-030 fail"]);
    expect(judgeWith(embeddingUsage, [answer({ input: "a" }, [[1]], { model: "alias" })])).toEqual([
      "EMB-027 advisory",
      "EMB-030 pass",
    ]);
  });

  it("does not let a missing usage pass for a total", () => {
    const bare = makeExchange({
      endpoint: "embeddings",
      sent: { model, input: "a" },
      received: { object: "list", data: [], model },
    });
    expect(judgeWith(embeddingUsage, [bare])).toEqual(["EMB-029 fail"]);
  });
});

describe("embedding-relations", () => {
  it("compares encodings within the precision of the shorter one", () => {
    const plain = answer({ input: "a" }, [[0.123456789, 0.5]]);
    const same = answer({ input: "a", encoding_format: "base64" }, [encode([0.123456789, 0.5])]);
    const other = answer({ input: "a", encoding_format: "base64" }, [encode([0.123456789, 0.51])]);
    expect(verdictsOn("EMB-015", embeddingRelations, [plain, same])).toEqual(["pass"]);
    expect(verdictsOn("EMB-015", embeddingRelations, [plain, other])).toEqual(["fail"]);
    expect(verdictsOn("EMB-015", embeddingRelations, [same])).toEqual([]);
  });

  it("compares a batch with single requests by direction, by position of the input and in the same encoding", () => {
    const singles = [answer({ input: "a" }, [[1, 0]], { tokens: 1 }), answer({ input: "b" }, [[0, 1]], { tokens: 2 })];
    const batch = answer(
      { input: ["a", "b"] },
      [
        [0, 2],
        [2, 0],
      ],
      { indexes: [1, 0], tokens: 3 },
    );
    expect(verdictsOn("EMB-031", embeddingRelations, [...singles, batch])).toEqual(["pass", "pass"]);
    expect(verdictsOn("EMB-036", embeddingRelations, [...singles, batch])).toEqual(["observed"]);
    const swapped = answer(
      { input: ["a", "b"] },
      [
        [0, 2],
        [2, 0],
      ],
      { tokens: 3 },
    );
    expect(verdictsOn("EMB-031", embeddingRelations, [...singles, swapped])).toEqual(["fail", "fail"]);
    const encoded = answer({ input: ["a", "b"], encoding_format: "base64" }, [encode([0, 2]), encode([2, 0])]);
    expect(verdictsOn("EMB-031", embeddingRelations, [...singles, encoded])).toEqual([]);
  });

  it("records repetition and never fails it", () => {
    const [one, two] = [answer({ input: "a" }, [[1, 0]]), answer({ input: "a" }, [[0.9, 0.1]])];
    expect(verdictsOn("EMB-032", embeddingRelations, [one, two])).toEqual(["observed"]);
  });

  it("wants no fewer tokens for a text than for its beginning", () => {
    const [short, long] = [answer({ input: "ab" }, [[1]], { tokens: 4 }), answer({ input: "abab" }, [[1]], { tokens: 3 })];
    expect(verdictsOn("EMB-035", embeddingRelations, [short, long])).toEqual(["fail"]);
    expect(verdictsOn("EMB-035", embeddingRelations, [short, answer({ input: "abcd" }, [[1]], { tokens: 4 })])).toEqual(["pass"]);
    expect(verdictsOn("EMB-035", embeddingRelations, [short, answer({ input: "ba" }, [[1]], { tokens: 1 })])).toEqual([]);
  });
});

describe("embedding-acceptance", () => {
  it("blames a refused encoding on that encoding, not on the input", () => {
    const record = [
      answer({ input: "a" }, [[1]]),
      answer({ input: "a", encoding_format: "float" }, [[1]]),
      answer({ input: "a", encoding_format: "base64" }, [], { status: 422 }),
    ];
    const failed = judgeWith(embeddingAcceptance, record).filter((line) => !line.endsWith("pass"));
    expect(failed).toEqual(["EMB-013 fail"]);
  });

  it("does not blame the input for a number of dimensions that a model does not take", () => {
    const record = [answer({ input: "a" }, [[1]]), answer({ input: "a", dimensions: 7 }, [], { status: 422 })];
    expect(judgeWith(embeddingAcceptance, record).filter((line) => !line.endsWith("pass"))).toEqual([]);
  });
});
