import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { cosine, type EmbeddingVectors, largestDifference, readEmbeddingAnswers } from "./embedding-answer.ts";
import { readEncoded } from "./read-encoded.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

/** An answer to one string. */
type Single = EmbeddingVectors & { readonly single: string };

/** Both encodings carry the same numbers up to the precision of a 32-bit float. */
const encodingTolerance = 1e-3;
/** Arithmetic in batches may change the last digits; below that it should not be seen. */
const usualCosine = 0.999;
/** A vector that is further away is another one, with any arithmetic. */
const leastCosine = 0.9;

/** Answers compared with each other: encodings, batch against single, repetition, growth of the prompt. */
export const embeddingRelations: RunJudge = {
  scope: "run",
  id: "embedding-relations",
  covers: ["EMB-015", "EMB-031", "EMB-032", "EMB-035", "EMB-036"],
  *judge(exchanges): Iterable<Occurrence> {
    const answers = readEmbeddingAnswers(exchanges);
    const singles = answers.filter((answer): answer is Single => answer.single !== null);
    yield* compareEncodings(singles);
    yield* compareRepetitions(singles);
    yield* compareGrowth(singles);
    for (const batch of answers) {
      if (batch.inputs.length > 1) yield* compareBatch(batch, singles);
    }
  },
};

/** Same model, length and encoding: vectors that may be compared. */
function isComparable(one: EmbeddingVectors, other: EmbeddingVectors): boolean {
  return one.model === other.model && one.dimensions === other.dimensions;
}

function* compareEncodings(singles: readonly Single[]): Iterable<Occurrence> {
  for (const encoded of singles.filter((answer) => answer.encoding === "base64")) {
    const plain = singles.find(
      (answer) => answer.encoding === "float" && answer.single === encoded.single && isComparable(answer, encoded),
    );
    if (plain === undefined) continue;
    const one = plain.vectors[0];
    const candidates = readEncoded(encoded, 0);
    if (one == null || candidates.length === 0) continue;
    const other = candidates.reduce((best, next) => (largestDifference(one, next) < largestDifference(one, best) ? next : best));
    const difference = largestDifference(one, other);
    const subject = { requirement: "EMB-015", exchanges: [encoded.exchange.seq, plain.exchange.seq] };
    yield passOrFail(subject, difference <= encodingTolerance, () => ({
      kind: "the two encodings of one text give different vectors",
      expected: `a difference of at most ${encodingTolerance} in every element`,
      observed: describeDifference(difference, one, other),
    }));
  }
}

function* compareRepetitions(singles: readonly Single[]): Iterable<Occurrence> {
  for (const [position, answer] of singles.entries()) {
    const before = singles
      .slice(0, position)
      .find((other) => other.encoding === answer.encoding && other.single === answer.single && isComparable(other, answer));
    if (before === undefined) continue;
    const [one, other] = [before.vectors[0], answer.vectors[0]];
    if (one == null || other == null) continue;
    const difference = largestDifference(one, other);
    yield {
      requirement: "EMB-032",
      outcome: "observed",
      exchanges: [answer.exchange.seq, before.exchange.seq],
      message: "the same text was sent twice",
      answer: difference === 0 ? "the vector is repeated exactly" : "the vector is not repeated exactly",
      observed: describeDifference(difference, one, other),
    };
  }
}

function* compareGrowth(singles: readonly Single[]): Iterable<Occurrence> {
  for (const longer of singles) {
    const shorter = singles.find(
      (answer) =>
        answer.exchange.caseId === longer.exchange.caseId &&
        answer.model === longer.model &&
        answer.single !== longer.single &&
        longer.single.startsWith(answer.single),
    );
    if (shorter === undefined || shorter.promptTokens === null || longer.promptTokens === null) continue;
    const subject = { requirement: "EMB-035", exchanges: [longer.exchange.seq, shorter.exchange.seq] };
    yield passOrFail(subject, longer.promptTokens >= shorter.promptTokens, () => ({
      kind: "a longer input is reported with fewer tokens than its own beginning",
      expected: `at least ${shorter.promptTokens} prompt tokens`,
      observed: `${longer.promptTokens}`,
    }));
  }
}

function* compareBatch(batch: EmbeddingVectors, singles: readonly Single[]): Iterable<Occurrence> {
  // Whether encodings agree is a question of its own (EMB-015).
  const sameEncoding = singles.filter((answer) => answer.encoding === batch.encoding && isComparable(answer, batch));
  const alone = batch.inputs.map((text) => sameEncoding.find((answer) => answer.single === text));
  for (const [position, single] of alone.entries()) {
    if (single === undefined) continue;
    const [one, other] = [single.vectors[0], batch.vectors[position]];
    if (one == null || other == null) continue;
    const similarity = cosine(one, other);
    const subject = { requirement: "EMB-031", exchanges: [batch.exchange.seq, single.exchange.seq] };
    const isNearest = alone.every((rival) => cosine(rival?.vectors[0] ?? [], other) <= similarity);
    yield passOrFail(subject, similarity >= usualCosine, () => ({
      outcome: similarity >= leastCosine && isNearest ? "advisory" : "fail",
      kind: "the vector of entry 0 of a batch is not the vector of the same text alone",
      message: `the vector of entry ${position} of a batch is not the vector of the same text alone`,
      expected: `a cosine of at least ${usualCosine}`,
      observed: one.length === other.length ? similarity.toFixed(4) : `${one.length} and ${other.length} dimensions`,
    }));
  }
  const found = alone.filter((single) => single !== undefined);
  const tokens = found.map((single) => single.promptTokens).filter((count) => count !== null);
  if (batch.promptTokens === null || tokens.length < alone.length) return;
  const sum = tokens.reduce((total, count) => total + count, 0);
  yield {
    requirement: "EMB-036",
    outcome: "observed",
    exchanges: [batch.exchange.seq, ...found.map((single) => single.exchange.seq)],
    message: "the tokens of a batch compared with those of its entries",
    answer: sum === batch.promptTokens ? "the batch is the sum of its entries" : "the batch is not the sum of its entries",
    observed: `${batch.promptTokens} for the batch, ${sum} for its entries`,
  };
}

function describeDifference(difference: number, one: readonly number[], other: readonly number[]): string {
  return one.length === other.length
    ? `a difference of up to ${difference.toExponential(1)}`
    : `vectors of ${one.length} and ${other.length} elements`;
}
