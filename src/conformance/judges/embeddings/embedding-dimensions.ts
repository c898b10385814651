import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { isValidRequest } from "../../judging/is-valid-request.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { type EmbeddingVectors, readEmbeddingAnswers } from "./embedding-answer.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

/** Vectors have the requested length, or the constant one of the model when none was requested. */
export const embeddingDimensions: RunJudge = {
  scope: "run",
  id: "embedding-dimensions",
  covers: ["EMB-018", "EMB-019"],
  *judge(exchanges): Iterable<Occurrence> {
    const answers = inNumbers(readEmbeddingAnswers(exchanges));
    const usual = usualLengths(answers);
    yield* judgeRequested(answers, usual);
    // One number shows that the member is heeded: another that shows nothing adds no doubt.
    if (!answers.some((answer) => isTelling(answer, usual))) yield* judgeUnsupported(exchanges);
    yield* judgeDefault(answers);
  },
};

/**
 * The specification names no width of a number in base64 (AMB-30): where nothing was requested and a vector is twice as long in base64
 * as in JSON when it is read as 32-bit floats, its numbers have 64 bits.
 */
function inNumbers(answers: readonly EmbeddingVectors[]): readonly EmbeddingVectors[] {
  const unasked = answers.filter(({ dimensions }) => dimensions === null);
  const isDouble = (model: unknown): boolean => {
    const of = (wanted: string): readonly number[] =>
      unasked.flatMap((one) => (one.encoding === wanted && one.model === model ? lengthsOf(one.vectors) : []));
    const [plain, encoded] = [new Set(of("float")), new Set(of("base64"))];
    return plain.size > 0 && encoded.size > 0 && [...encoded].every((length) => plain.has(length / 2));
  };
  const doubles = new Set(answers.map(({ model }) => model).filter(isDouble));
  return answers.map((answer) =>
    answer.encoding === "base64" && doubles.has(answer.model) ? { ...answer, vectors: answer.vectors.map(halved) } : answer,
  );
}

/** Only lengths are judged of it. */
function halved(vector: readonly number[] | null): readonly number[] | null {
  return vector?.slice(0, vector.length / 2) ?? null;
}

function usualLengths(answers: readonly EmbeddingVectors[]): ReadonlySet<number> {
  return new Set(answers.filter((answer) => answer.dimensions === null).flatMap(({ vectors }) => lengthsOf(vectors)));
}

/** The default number of dimensions proves nothing: a service that ignores the member gives it as well. */
function isTelling({ dimensions, vectors }: EmbeddingVectors, usual: ReadonlySet<number>): boolean {
  return dimensions !== null && !usual.has(dimensions) && lengthsOf(vectors).length > 0;
}

function* judgeRequested(answers: readonly EmbeddingVectors[], usual: ReadonlySet<number>): Iterable<Occurrence> {
  const isShown = answers.some((answer) => isTelling(answer, usual));
  for (const { exchange, dimensions, vectors } of answers) {
    const lengths = lengthsOf(vectors);
    if (dimensions === null || lengths.length === 0) continue;
    const subject = { requirement: "EMB-018", exchanges: [exchange.seq] };
    if (usual.has(dimensions)) {
      if (isShown) continue;
      const message = `${dimensions} dimensions are the default of the model, so that they prove nothing; name another number in features.dimensions`;
      yield { ...subject, outcome: "inconclusive", message };
      continue;
    }
    yield passOrFail(
      subject,
      lengths.every((length) => length === dimensions),
      () => ({
        kind: "the requested number of dimensions is not the length of the vectors",
        expected: `${dimensions} dimensions`,
        observed: `${lengths.join(", ")} dimensions`,
      }),
    );
  }
}

/** Not every model can shorten its vectors, and the specification does not demand it of one. */
function* judgeUnsupported(exchanges: readonly ExchangeFacts[]): Iterable<Occurrence> {
  for (const exchange of exchanges) {
    if (!isValidRequest(exchange, "embeddings") || exchange.stage !== "conformance") continue;
    const status = exchange.status ?? 500;
    if (typeof exchange.requestObject?.["dimensions"] !== "number" || status < 400) continue;
    yield {
      requirement: "EMB-018",
      outcome: "inconclusive",
      exchanges: [exchange.seq],
      message: `the model did not take the requested dimensions (${describeAnswer(exchange)}); name another number or set features.dimensions to false`,
    };
  }
}

function* judgeDefault(answers: readonly EmbeddingVectors[]): Iterable<Occurrence> {
  const firsts = new Map<unknown, { readonly seq: number; readonly length: number }>();
  for (const { exchange, model, dimensions, vectors } of answers) {
    const lengths = lengthsOf(vectors);
    const [length] = lengths;
    if (dimensions !== null || length === undefined) continue;
    const known = firsts.get(model);
    const first = known ?? { seq: exchange.seq, length };
    firsts.set(model, first);
    // One length in one answer is nothing to compare with.
    if (known === undefined && lengths.length === 1) continue;
    const subject = { requirement: "EMB-019", exchanges: [...new Set([exchange.seq, first.seq])] };
    yield passOrFail(
      subject,
      lengths.every((other) => other === first.length),
      () => ({
        kind: "the length of the vectors of one model changes although no dimensions were requested",
        expected: `${first.length} dimensions as before`,
        observed: `${lengths.join(", ")} dimensions`,
      }),
    );
  }
}

function lengthsOf(vectors: readonly (readonly number[] | null)[]): readonly number[] {
  return [...new Set(vectors.filter((vector) => vector !== null).map((vector) => vector.length))];
}
