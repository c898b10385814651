import { groupBy } from "../../../core/group-by.ts";
import { cosine, type EmbeddingVectors, readEmbeddingAnswers } from "../embeddings/embedding-answer.ts";
import { readEncoded } from "../embeddings/read-encoded.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { framingOf } from "../../judging/is-framing-refusal.ts";
import { growingPrompts } from "./growing-prompts.ts";
import type { Comparison, Relation } from "./relation.ts";
import { statedAlike } from "./stated-alike.ts";

/** Arithmetic may change the last digits of a vector; below that it is another one. */
const leastCosine = 0.9;

function equalTexts(encoding: "float" | "base64"): Relation {
  return {
    id: `embeddings/equal-texts/${encoding}`,
    requirement: "EMB-037",
    says: "equal texts of one batch get different vectors",
    held: `the text of two entries of one batch, under ${encoding}`,
    varies: "the place in the batch",
    agrees: "the vector",
    *compare(record) {
      for (const batch of readEmbeddingAnswers(record)) {
        if (batch.encoding !== encoding) continue;
        const pair = equalPlaces(batch);
        if (pair === null) continue;
        yield compareVectors(batch, pair[1], batch, pair[0]);
      }
    },
  };
}

/** The first two places that hold one text and have vectors that disagree, else the first two that hold one text. */
function equalPlaces({ inputs, vectors }: EmbeddingVectors): readonly [number, number] | null {
  let found: readonly [number, number] | null = null;
  const first = new Map<string, number>();
  for (const [place, text] of inputs.entries()) {
    const before = first.get(text);
    if (before === undefined) first.set(text, place);
    else if (vectors[before] != null && vectors[place] != null) {
      if (cosine(vectors[before], vectors[place]) < leastCosine) return [before, place];
      found ??= [before, place];
    }
  }
  return found;
}

function compareVectors(later: EmbeddingVectors, at: number, earlier: EmbeddingVectors, before: number): Comparison {
  const [one, other] = [earlier.vectors[before] ?? [], later.vectors[at] ?? []];
  const similarity = cosine(one, other);
  return {
    exchanges: [...new Set([later.exchange.seq, earlier.exchange.seq])],
    isProven: false,
    holds: similarity >= leastCosine,
    expected: `entry ${at} of #${later.exchange.seq} with the vector of entry ${before} of #${earlier.exchange.seq}, which has the same text`,
    observed: one.length === other.length ? `a cosine of ${similarity.toFixed(4)}` : `${one.length} and ${other.length} elements`,
  };
}

/** Width and byte order of numbers in base64 are free: the reading that is nearest to the numbers in JSON. */
function closest(encoded: EmbeddingVectors, place: number, plain: EmbeddingVectors): readonly number[] | null {
  const numbers = plain.vectors[place];
  if (numbers == null) return null;
  const candidates = readEncoded(encoded, place).filter(({ length }) => length === numbers.length);
  return candidates.toSorted((one, other) => cosine(numbers, other) - cosine(numbers, one))[0] ?? null;
}

/** Each entry of a batch in two encodings, wherever it stands. */
const batchEncodings: Relation = {
  id: "embeddings/batch-encodings",
  requirement: "EMB-015",
  says: "the two encodings of one text give different vectors",
  held: "texts of a batch, model and dimensions",
  varies: "the encoding: float or base64",
  agrees: "the vector of each entry",
  *compare(record) {
    const batches = readEmbeddingAnswers(record).filter(({ single }) => single === null);
    const alike = groupBy(batches, ({ inputs, model, dimensions }) => JSON.stringify([inputs, model, dimensions]));
    for (const group of alike.values()) {
      const plain = group.find(({ encoding }) => encoding === "float");
      for (const sent of group) {
        if (plain === undefined || sent.encoding !== "base64") continue;
        const encoded = { ...sent, vectors: sent.vectors.map((vector, place) => closest(sent, place, plain) ?? vector) };
        const places = encoded.inputs.map((_, place) => place).filter((place) => plain.vectors[place] && encoded.vectors[place]);
        const apart = (place: number): boolean => cosine(plain.vectors[place] ?? [], encoded.vectors[place] ?? []) < leastCosine;
        const place = places.find(apart) ?? places[0];
        if (place !== undefined) yield compareVectors(encoded, place, plain, place);
      }
    }
  },
};

const readings = [
  { name: "usage.prompt_tokens", read: ({ usage }: ExchangeFacts): number | null => usage?.promptTokens ?? null },
  { name: "usage.total_tokens", read: ({ usage }: ExchangeFacts): number | null => usage?.totalTokens ?? null },
];

/** The words of one request, in whatever encoding and length the vectors come. */
function inputOf(exchange: ExchangeFacts): string | null {
  const { requestObject, endpoint, isSuccess, intent } = exchange;
  if (endpoint !== "embeddings" || !isSuccess || intent.kind !== "valid" || requestObject === null) return null;
  return JSON.stringify([requestObject["model"], requestObject["input"]]);
}

const tokensOfInput: readonly Relation[] = readings.flatMap(({ name, read }) =>
  [
    {
      id: "encodings",
      varies: "the encoding",
      by: (one: ExchangeFacts) => JSON.stringify(one.requestObject?.["encoding_format"] ?? "float"),
    },
    {
      id: "dimensions",
      varies: "the dimensions",
      by: (one: ExchangeFacts) => JSON.stringify(one.requestObject?.["dimensions"] ?? "default"),
    },
    {
      id: "framings",
      varies: "the framing of the body: with a length, in chunks, or after 100 Continue",
      by: framingOf,
    },
  ].map(({ id, varies, by }) =>
    statedAlike({
      id: `embeddings/same-input/${id}/${name}`,
      requirement: "EMB-038",
      says: "equal inputs are reported with different tokens",
      held: "input and model of two embeddings requests",
      varies,
      agrees: name,
      alike: inputOf,
      differs: by,
      read,
    }),
  ),
);

/** Lists that begin alike. */
const longerList: Relation = growingPrompts({
  id: "embeddings/longer-list/usage.prompt_tokens",
  requirement: "EMB-042",
  says: "further texts of a list are not counted as its prompt",
  held: "model and the first texts of two embeddings requests",
  varies: "the texts after them",
  agrees: "usage.prompt_tokens: more of them where there are more texts",
  shares: "beginning",
  read(exchange) {
    const input = inputOf(exchange) === null ? null : exchange.requestObject?.["input"];
    if (!Array.isArray(input) || input.length === 0) return null;
    const texts = input.map((text) => JSON.stringify(text));
    return { beside: JSON.stringify(exchange.requestObject?.["model"]), parts: texts };
  },
});

export const vectorRelations: readonly Relation[] = [
  equalTexts("float"),
  equalTexts("base64"),
  batchEncodings,
  ...tokensOfInput,
  longerList,
];
